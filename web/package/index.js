/* index.js - libuop in JavaScript: programs in the .uir language, read, counted, drawn, run and
 * simplified. The work is done by uop.wasm (web/wasm), which imports nothing; this file turns its
 * JSON into what index.d.ts promises.
 *
 * Every program has memory of its own in the module, which free() gives back.
 */

const MAX_STEPS = 20_000_000;
const MAX_BYTES = 256 * 2 ** 20;
const MAX_TRACE = 1_000;

/* ---- the module ---- */

async function bytesOf(source) {
  if (source === undefined) source = new URL('./uop.wasm', import.meta.url);
  if (typeof source !== 'string' && !(source instanceof URL)) return source;
  const url = String(source);
  if (
    url.startsWith('file:') ||
    (typeof process === 'object' && !/^[a-z][a-z0-9+.-]+:/i.test(url))
  ) {
    const name = 'node:fs/promises'; // a name that bundlers for browsers do not look up
    const { readFile } = await import(name);
    return readFile(url.startsWith('file:') ? new URL(url) : url);
  }
  const response = await fetch(source);
  if (!response.ok) throw new Error(`uopc: can't fetch ${url}: status ${response.status}`);
  return response.arrayBuffer();
}

async function instantiate(source) {
  const given = await bytesOf(source);
  const module = given instanceof WebAssembly.Module ? given : await WebAssembly.compile(given);
  const { exports } = await WebAssembly.instantiate(module, {});
  exports._initialize();
  return exports;
}

/* The module's exports, called with strings, answering with what their JSON says. */
class Library {
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  constructor(exports) {
    this.exports = exports;
  }

  /* Calls `use(pointer, bytes)` with the text in the module's memory. */
  withText(text, use) {
    const bytes = this.#encoder.encode(text);
    const at = this.exports.alloc(bytes.length + 1);
    if (!at) throw new Error('uopc: out of memory');
    try {
      const memory = new Uint8Array(this.exports.memory.buffer, at, bytes.length + 1);
      memory.set(bytes);
      memory[bytes.length] = 0;
      return use(at, bytes.length);
    } finally {
      this.exports.drop(at);
    }
  }

  answer() {
    const { answer_at, answer_len, answer_drop, memory } = this.exports;
    const length = answer_len();
    const text = length && this.#decoder.decode(new Uint8Array(memory.buffer, answer_at(), length));
    answer_drop();
    if (!length) throw new Error('uopc: out of memory');
    return JSON.parse(text);
  }
}

/* ---- what answers are turned into ---- */

function doubleOfBits(digits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(digits));
  return view.getFloat64(0);
}

/* As cli/stats.c writes a number that has more than 63 bits. */
function aboutTree(log10) {
  let exponent = Math.floor(log10);
  let digits = 10 ** (log10 - exponent);
  if (digits >= 9.995) {
    digits = 1;
    exponent++;
  }
  return `about ${digits.toFixed(2)}e${exponent}`;
}

function statsOf(answer) {
  const treeLog10 = doubleOfBits(answer.treeLog10);
  return { ...answer, treeLog10, tree: answer.tree ?? aboutTree(treeLog10) };
}

/* Gives nodes the names and lines of the statements that stand for them. `ids` are those of the
 * statements' nodes. */
function withNames(nodes, statements, ids) {
  const byId = new Map();
  for (const node of nodes) byId.set(node.id, Object.assign(node, { names: [], lines: [] }));
  statements.forEach((statement, i) => {
    const node = byId.get(ids[i]);
    if (!node) return;
    if (statement.name !== null) node.names.push(statement.name);
    node.lines.push(statement.line);
  });
  return nodes;
}

/* A value in a box of the picture: one line, not wide. */
function shortValue(text) {
  const line = text.replace(/\s+/g, ' ').replace(/\[ /g, '[');
  return line.length > 32 ? line.slice(0, 31).replace(/,?[^,]*$/, ', …') : line;
}

/* What web/wasm/graph.c reads. */
function graphOptions({ open = [], values } = {}) {
  const lines = [];
  for (const box of open) if (/^n\d+$/.test(box)) lines.push(`open ${box.slice(1)}`);
  for (const value of values?.values ?? [])
    if (value.text && value.error === undefined)
      lines.push(`note ${value.node} = ${shortValue(value.text)}`);
  return lines.map((line) => `${line}\n`).join('');
}

const operandNames = {
  where: 'condition a b',
  index: 'x i…',
  call: 'body x…',
  store: 'memory value',
  load: 'memory',
  range: 'end',
  after: 'memory effect…',
  end: 'effect range…',
};

function signatureOf({ name, min, max, position, keys }) {
  const plain = ['', 'x', 'a b', 'a b c'][min] + (max > min ? (min ? '…' : 'x…') : '');
  const operands = [operandNames[name] ?? plain, position].filter(Boolean).join(', ');
  const attributes = keys && `: ${keys.replace(/\w+/g, '$&=')}`;
  return [name, operands, attributes].filter(Boolean).join(' ');
}

function opDoc(op) {
  const { name, kind, doc } = op;
  const spellings = op.capitals ? [name, op.capitals] : [name];
  return {
    name,
    spellings,
    kind,
    signature: signatureOf(op),
    doc,
    args: op.keys.split(' ').filter(Boolean),
  };
}

/* ---- programs ---- */

class Simplified {
  #lib;
  #handle;
  #statements;

  constructor(lib, handle, answer, statements, ruleDocs) {
    this.#lib = lib;
    this.#handle = handle;
    this.#statements = statements;
    this.text = answer.text;
    this.before = statsOf(answer.before);
    this.after = statsOf(answer.after);
    this.more = answer.more;
    this.steps = answer.steps.map((step) => ({ ...step, ...ruleDocs(step.rule) }));
  }

  at(k, options) {
    if (!this.#handle) throw new Error('uopc: this simplified program was freed');
    if (!Number.isInteger(k) || k < 0 || k > this.steps.length)
      throw new RangeError(`uopc: there is no step ${k}; there are ${this.steps.length}`);
    const lib = this.#lib;
    const state = lib.withText(graphOptions(options), (at, length) => {
      lib.exports.simplified_at(this.#handle, k, at, length);
      return lib.answer();
    });
    const { graph, nodes, changed, text, stats, statements } = state;
    return {
      graph,
      nodes: withNames(nodes, this.#statements, statements),
      changed,
      text,
      stats: statsOf(stats),
    };
  }

  free() {
    if (this.#handle) this.#lib.exports.simplified_free(this.#handle);
    this.#handle = 0;
  }
}

class Program {
  #lib;
  #handle;
  #columns; // of statements, beside what is told of them
  #ruleDocs;

  constructor(lib, text, ruleDocs) {
    this.#lib = lib;
    this.#ruleDocs = ruleDocs;
    const answer = this.#read(text);
    this.ok = answer.ok;
    this.diagnostics = answer.diagnostics;
    const { names, places } = answer;
    this.#columns = names.map((name, i) => places[5 * i + 1]);
    this.statements = names.map((name, i) => {
      const [line, , from, to, node] = places.slice(5 * i, 5 * i + 5);
      return { name, line, from, to, node };
    });
  }

  #read(text) {
    const lib = this.#lib;
    try {
      return lib.withText(text, (at, length) => {
        this.#handle = lib.exports.parse(at, length);
        return lib.answer();
      });
    } catch (error) {
      this.free(); // out of memory: what there is goes back
      throw error;
    }
  }

  /* The handle of a program that can be asked something. */
  #use() {
    if (!this.#handle) throw new Error('uopc: this program was freed');
    if (!this.ok) throw new Error('uopc: this program has errors: see its diagnostics');
    return this.#handle;
  }

  #ask(name, ...args) {
    this.#lib.exports[name](this.#use(), ...args);
    return this.#lib.answer();
  }

  print() {
    return this.#ask('print');
  }

  nodes() {
    const ids = this.statements.map((statement) => statement.node);
    return withNames(this.#ask('nodes'), this.statements, ids);
  }

  graph(options) {
    this.#use();
    return this.#lib.withText(graphOptions(options), (at, length) =>
      this.#ask('graph', at, length),
    );
  }

  stats() {
    return statsOf(this.#ask('stats'));
  }

  /* One of each slot. */
  inputs() {
    const seen = new Set();
    return this.#ask('inputs').filter(({ kind, slot }) => {
      const key = `${kind} ${slot}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  facts(node) {
    return { work: '0', bytes: '0', ...this.#ask('facts', node) };
  }

  #place(i) {
    if (i < 0) return { line: 1, column: 1, from: 0, to: 0 };
    const { line, from, to } = this.statements[i];
    return { line, column: this.#columns[i], from, to };
  }

  /* Of numbers and texts that are plain by now: nothing of the caller's runs meanwhile. */
  #runAnswer(inputs, seed, maxSteps, maxBytes) {
    const lib = this.#lib;
    const { run_new, run_input, run_go, run_free } = lib.exports;
    const run = run_new(this.#use(), maxSteps, maxBytes);
    if (!run) throw new Error('uopc: out of memory');
    try {
      const inputErrors = [];
      for (const { kind, slot, text } of inputs) {
        const message = lib.withText(text, (at, length) => {
          run_input(run, kind === 'buffer' ? 1 : 0, slot, at, length);
          return lib.answer();
        });
        if (message !== null) inputErrors.push({ kind, slot, message });
      }
      run_go(run, seed);
      return { ...lib.answer(), inputErrors };
    } finally {
      run_free(run);
    }
  }

  run({ inputs = [], fill = -1, maxSteps = MAX_STEPS, maxBytes = MAX_BYTES } = {}) {
    const { values, asserts, diagnostics, inputErrors, steps, ok } = this.#runAnswer(
      Array.from(inputs, ({ kind, slot, text }) => ({
        kind: `${kind}`,
        slot: Number(slot),
        text: `${text}`,
      })),
      fill < 0 ? -1 : Math.min(Math.floor(Number(fill)), Number.MAX_SAFE_INTEGER),
      budget(maxSteps),
      budget(maxBytes),
    );
    return {
      values: values.map(({ statement, ...rest }) => {
        const { line, name, node } = this.statements[statement];
        return { line, name, node, ...rest };
      }),
      asserts: asserts
        .map(({ statement, ...rest }) => ({ line: this.#place(statement).line, ...rest }))
        .sort((a, b) => a.line - b.line),
      diagnostics: diagnostics.map(({ statement, ...rest }) => ({
        ...rest,
        ...this.#place(statement),
      })),
      inputErrors,
      steps,
      ok: ok && inputErrors.length === 0,
    };
  }

  simplify({ set = 'simplify', trace = true, maxTrace = MAX_TRACE } = {}) {
    const lib = this.#lib;
    const room = trace ? Math.min(Math.max(0, Math.floor(maxTrace)), 100_000) : 0;
    let handle = 0;
    let answer;
    try {
      answer = lib.withText(`${set}`, (at) => {
        handle = lib.exports.simplify(this.#use(), at, room);
        return lib.answer();
      });
    } catch (error) {
      if (handle) lib.exports.simplified_free(handle);
      throw error;
    }
    if (!handle) throw new Error(`uopc: ${answer}`);
    if (!trace) answer.more = false;
    return new Simplified(lib, handle, answer, this.statements, this.#ruleDocs);
  }

  free() {
    if (this.#handle) this.#lib.exports.program_free(this.#handle);
    this.#handle = 0;
  }
}

/* A budget that the module understands: at least 1. */
function budget(n) {
  return Math.min(Math.max(1, Math.floor(Number(n))), Number.MAX_SAFE_INTEGER);
}

/* ---- the library ---- */

const gather = {
  text: '',
  doc:
    'Sums and products of i32 in canonical form: like terms, common factors and constants are ' +
    'brought together.',
};

export async function load(source) {
  const lib = new Library(await instantiate(source));
  const ask = (name) => {
    lib.exports[name]();
    return lib.answer();
  };
  let rules; // made when first asked for: they do not change
  const allRules = () => (rules ??= ask('rules'));
  let docs;
  const ruleDocs = (name) => {
    docs ??= new Map(allRules().map((rule) => [rule.name, rule]));
    return name === 'gather'
      ? gather
      : { doc: docs.get(name)?.doc ?? '', text: docs.get(name)?.text ?? '' };
  };
  return {
    version: ask('version'),
    parse: (text) => new Program(lib, text, ruleDocs),
    ops: () => ask('ops').map(opDoc),
    rules: () => structuredClone(allRules()),
    sets: () => ask('sets'),
    check() {
      const wrong = ask('check');
      if (wrong) throw new Error(`uopc: ${wrong}`);
    },
    bytes: () => lib.exports.bytes(),
  };
}
