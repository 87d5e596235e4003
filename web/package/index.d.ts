/* The typed face of libuop as WebAssembly. Text positions are UTF-16 offsets into the text as it
 * was given (what JavaScript strings and editors count in); lines and columns count from 1. Node
 * ids are numbers that are valid while their Program is. */

export interface Diagnostic {
  severity: 'error' | 'warning';
  code: string; // "E_SYNTAX", "E_SHAPE", "W_UNUSED", …
  message: string; // the library's, without the "line N: '…': " in front
  line: number;
  column: number;
  from: number;
  to: number; // what to underline; from <= to <= text.length
}

export interface Statement {
  name: string | null; // without the %; null: an assert without a name
  line: number;
  from: number;
  to: number;
  node: number;
}

export interface Node {
  id: number;
  op: string; // "add"
  arg: string; // as .uir writes it: "slot=0", "(2, 3)", "2.5" of a const; "" for none
  dtype: string;
  shape: number[];
  space: string;
  src: number[];
  names: string[]; // of all statements that share it
  lines: number[];
}

export interface Graph {
  dot: string; // the DOT that `uopc graph` prints (with values, and runs opened, where asked for)
  /* by name of the DOT node ("n12"): what it stands for; a folded run has all its members' ids */
  boxes: Record<string, { nodes: number[]; folded: boolean }>;
}

export interface Stats {
  nodes: number;
  ops: number;
  depth: number;
  tree: string; // "15", or "about 4.07e90", as `uopc stats` says it
  treeLog10: number;
  byOp: Record<string, number>;
  work: string;
  bytes: string; // decimal, of 64 bits
}

export interface Input {
  kind: 'param' | 'buffer';
  slot: number;
  dtype: string;
  shape: number[];
  node: number;
}

export interface RunOptions {
  inputs?: { kind: 'param' | 'buffer'; slot: number; text: string }[]; // "5", "[1, 2, 3]"
  fill?: number; // seed: inputs that are not given are made up reproducibly
  maxSteps?: number; // default 20,000,000 elements: well under a second
  maxBytes?: number; // default 256 MiB
}
export interface RunResult {
  /* Of each statement; `text` is "" where it has none, or `error` says why. */
  values: { line: number; name: string | null; node: number; text: string; error?: string }[];
  asserts: { line: number; pass: boolean; message: string }[];
  diagnostics: Diagnostic[]; // missing inputs, indices outside, budget, …
  inputErrors: { kind: 'param' | 'buffer'; slot: number; message: string }[];
  steps: number;
  ok: boolean;
}

/* Of all that is below the node, "0" where there is none of that id; `value`, where it asks for no input and is soon computed. */
export interface NodeFacts {
  bounds?: [number, number];
  work: string;
  bytes: string;
  value?: string;
}

export interface Step {
  rule: string;
  doc: string;
  text: string;
  before: string;
  after: string;
  node: number;
}
export interface Simplified {
  text: string; // what `uopc simplify` prints
  before: Stats;
  after: Stats;
  steps: Step[];
  more: boolean; // more: there were more than maxTrace (default 1,000)
  /* The asserts and the result after the first k steps (0: as given), and which of its nodes step k
   * made; of one that put in a node that was there already, that node. Ids of nodes that were given
   * are the Program's. */
  at(
    k: number,
    options?: { open?: string[] },
  ): { graph: Graph; nodes: Node[]; changed: number[]; text: string; stats: Stats };
  free(): void;
}

/* Where it is not `ok`, its methods but free() throw an Error; after free() all others do. */
export interface Program {
  readonly ok: boolean;
  readonly diagnostics: Diagnostic[];
  readonly statements: Statement[]; // [] where not ok
  print(): string; // canonical .uir
  nodes(): Node[];
  graph(options?: { open?: string[]; values?: RunResult }): Graph;
  stats(): Stats;
  inputs(): Input[];
  facts(node: number): NodeFacts;
  run(options?: RunOptions): RunResult;
  /* `set`: names of sets, separated by blanks. Throws an Error of the library's where rules do not
   * end, or memory does not suffice. */
  simplify(options?: { set?: string; trace?: boolean; maxTrace?: number }): Simplified;
  free(): void;
}

/* `signature`: "reduce x : op= pop="; `args`: the keys of its attributes; `kind`: "leaf",
 * "elementwise", "movement", "reduction", "effect", "other", or "short for": a further name of what
 * `doc` says. */
export interface OpDoc {
  name: string;
  spellings: string[];
  kind: string;
  signature: string;
  doc: string;
  args: string[];
}
export interface RuleDoc {
  name: string;
  set: string;
  text: string;
  doc: string;
}

export interface Uopc {
  readonly version: string;
  parse(text: string): Program; // throws for no text, only where memory runs out
  ops(): OpDoc[];
  rules(): RuleDoc[];
  sets(): string[];
  check(): void; // walks the library's invariants
  bytes(): number; // of the memory that is in use: goes back after free()
}

/* `source`: the .wasm as bytes, a compiled module, or where to fetch it; Node needs none. */
export function load(source?: BufferSource | WebAssembly.Module | URL | string): Promise<Uopc>;
