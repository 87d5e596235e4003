// The library, in a worker of its own: all that the page asks of it comes by here. It holds at most
// one program and one simplification of it, and frees what is replaced. Whatever the text, an
// answer comes or the page restarts the worker (library.js).
import { load } from 'uopc';
import { check } from './checks.js';
import { LARGE, MANY, TRACE } from './limits.js';

let uopc;
let program = null;
let run = null; // of the program
let simplified = null;

function dropSimplified() {
  simplified?.free();
  simplified = null;
}

function drop() {
  dropSimplified();
  program?.free();
  program = null;
}

/* What is known before anything is computed goes out first, as a part of the answer. Of a large
 * program its nodes stay here, and of a large graph all but the number of its boxes: sending them
 * takes longer than finding them. */
function analyse({ text, inputs, fill, open }, part) {
  drop();
  program = uopc.parse(text);
  const { ok, diagnostics } = program;
  if (!ok) return { ok, diagnostics };
  const stats = program.stats();
  const all = stats.nodes <= LARGE;
  part({
    ok,
    diagnostics,
    stats,
    inputs: program.inputs(),
    statements: all ? program.statements : [],
    nodes: all ? program.nodes() : [],
  });
  run = program.run({ inputs, ...(fill ? { fill } : {}) });
  const graph = program.graph({ open, values: run });
  const count = Object.keys(graph.boxes).length;
  return { ok, diagnostics, run, graph: count > MANY ? { count } : { ...graph, count } };
}

/* The whole graph, when it was asked for. */
function graph({ open }) {
  const whole = program.graph({ open, values: run });
  return { ...whole, count: Object.keys(whole.boxes).length };
}

const methods = {
  analyse,
  graph,
  reference: () => ({ version: uopc.version, ops: uopc.ops(), rules: uopc.rules() }),
  facts: ({ node }) => (program?.ok ? program.facts(node) : {}),
  simplify() {
    dropSimplified();
    if (!program?.ok) return null;
    const maxTrace = Math.min(1000, Math.max(20, Math.floor(TRACE / program.stats().nodes)));
    simplified = program.simplify({ trace: true, maxTrace });
    const { text, before, after, steps, more } = simplified;
    return { text, before, after, steps, more };
  },
  step({ k, open }) {
    const step = simplified?.at(k, { open });
    if (!step) return null;
    return { ...step, graph: { ...step.graph, count: Object.keys(step.graph.boxes).length } };
  },
  check: ({ challenge, text, answer }) => check(uopc, challenge, text, answer),
  bytes: () => {
    drop();
    return uopc.bytes();
  },
};

const ready = load(new URL('./uop.wasm', import.meta.url)).then(
  (loaded) => {
    uopc = loaded;
    postMessage({ ready: true });
  },
  (error) => postMessage({ broken: String(error?.message ?? error) }),
);

onmessage = async ({ data: { id, method, args } }) => {
  await ready;
  try {
    const result = methods[method](args, (part) => postMessage({ id, part }));
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
