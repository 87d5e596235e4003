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
let layout = null; // the port to the layout's worker, see layout.js

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
function analyse({ text, inputs, fill, open, picture }, part) {
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
  const graph = begin(program.graph({ open, values: run }), picture);
  const { count } = graph;
  return { ok, diagnostics, run, graph: count > MANY ? { count } : graph };
}

/* A graph that is not too large goes to the layout at once, by the page's number of the picture. */
function begin(graph, picture) {
  const count = Object.keys(graph.boxes).length;
  if (count > MANY) return { ...graph, count };
  layout?.postMessage({ id: picture, dot: graph.dot });
  return { ...graph, count, picture };
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
  step({ k, open, picture }) {
    const step = simplified?.at(k, { open });
    return step && { ...step, graph: begin(step.graph, picture) };
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

onmessage = async ({ data: { id, method, args, port } }) => {
  if (port) {
    layout = port;
    return;
  }
  await ready;
  try {
    const result = methods[method](args, (part) => postMessage({ id, part }));
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
