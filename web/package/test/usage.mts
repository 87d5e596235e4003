/* usage.mts - every part of index.d.ts used once, for tsc --strict. */
import { load, type Program, type RunResult, type Simplified, type Uopc } from 'uopc';

const uopc: Uopc = await load();
await load(new Uint8Array(8));
await load(new URL('file:///uop.wasm'));

const program: Program = uopc.parse('%a = add 2 3');
const first: string | undefined = program.diagnostics[0]?.message;
const names: (string | null)[] = program.statements.map((s) => s.name);
const run: RunResult = program.run({
  inputs: [{ kind: 'param', slot: 0, text: '5' }],
  fill: 1,
  maxSteps: 9,
  maxBytes: 9,
});
const dot: string = program.graph({ open: ['n1'], values: run }).dot;
const folded: boolean | undefined = program.graph().boxes['n0']?.folded;
const bounds: [number, number] | undefined = program.facts(0).bounds;
const made: Simplified = program.simplify({ set: 'simplify', trace: true, maxTrace: 10 });
const { changed, stats }: { changed: number[]; stats: { tree: string } } = made.at(0, { open: [] });
const shapes: number[][] = program.nodes().map((n) => n.shape);
const kinds: ('param' | 'buffer')[] = program.inputs().map((i) => i.kind);
const told: string[] = [
  ...uopc.ops().map((o) => o.doc),
  ...uopc.rules().map((r) => r.set),
  ...uopc.sets(),
];
uopc.check();
const bytes: number = uopc.bytes();
made.free();
program.free();

// @ts-expect-error a program cannot be written to
program.ok = false;
// @ts-expect-error there is no such kind of input
program.run({ inputs: [{ kind: 'other', slot: 0, text: '' }] });

export { first, names, dot, folded, bounds, changed, stats, shapes, kinds, told, bytes };
