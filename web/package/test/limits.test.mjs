/* limits.test.mjs - hostile text, freed programs, and memory that comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'uopc';

test('the module imports nothing', async () => {
  const { readFile } = await import('node:fs/promises');
  const bytes = await readFile(new URL(import.meta.resolve('uopc/uop.wasm')));
  const module = await WebAssembly.compile(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  for (const source of [bytes, module, import.meta.resolve('uopc/uop.wasm')]) {
    const uopc = await load(source);
    assert.match(uopc.version, /^\d+\.\d+\.\d+$/);
    assert.equal(uopc.bytes(), 0);
  }
});

test('a thousand programs leave no byte behind', async () => {
  const uopc = await load();
  let [bytes, text] = [0, ''];
  for (let i = 0; i < 1000; i++) {
    text = `%x = param 0 dtype=i32 shape=(${1 + (i % 50)},)\n`;
    text += `%y = add (mul %x ${i}) 0\nassert %y %y\n`;
    const program = uopc.parse(i % 10 ? text : `${text}%z = add %nothing 1\n`);
    if (program.ok) {
      program.run({ fill: i });
      program.graph({ values: program.run({ fill: i }) });
      program.stats();
      const made = program.simplify();
      made.at(made.steps.length);
      made.free();
    }
    program.free();
    bytes = uopc.bytes();
    assert.equal(bytes, 0);
  }
  uopc.check();
});

test('a freed program says so', async () => {
  const uopc = await load();
  const program = uopc.parse('%a = add 2 3\n');
  program.free();
  program.free();
  for (const use of ['print', 'nodes', 'graph', 'stats', 'inputs', 'run', 'simplify'])
    assert.throws(() => program[use](), /this program was freed/);
  assert.throws(() => program.facts(0), /this program was freed/);
  assert.equal(uopc.bytes(), 0);
});

test('a million parentheses are an answer, and nothing else breaks', async () => {
  const uopc = await load();
  for (const n of [1_000_000, 1_000_001, 3_000_000]) {
    const program = uopc.parse(`%a = ${'(add 1 '.repeat(n)}`);
    assert.equal(program.ok, false);
    assert.ok(program.diagnostics.length > 0);
    program.free();
    const closed = uopc.parse(`%a = ${'neg ('.repeat(200_000)}neg 1${')'.repeat(200_000)}\n`);
    assert.equal(closed.ok, true);
    assert.equal(closed.stats().depth, 200_001);
    closed.free();
  }
  assert.equal(uopc.bytes(), 0);
  uopc.check();
});

test('an EXPAND of 2^31-1 elements does not run, and says so', async () => {
  const uopc = await load();
  const program = uopc.parse(
    '%x = param 0 shape=(1,)\n%y = expand %x (2147483647,)\n%z = exp2 %y\n%a = add 1 1\n',
  );
  assert.equal(program.ok, true);
  assert.deepEqual(program.nodes()[1].shape, [2147483647]);
  const result = program.run({ fill: 1 });
  assert.equal(result.ok, false);
  assert.deepEqual(
    result.diagnostics.map(({ code }) => code),
    ['E_BUDGET'],
  );
  program.free();
  assert.equal(uopc.bytes(), 0);
});

test('more nodes than the budget are an error', async () => {
  const uopc = await load();
  const lines = ['%x = param 0 dtype=i32'];
  for (let i = 0; i < 550_000; i++) lines.push(`%y${i} = add %x ${i}`); // two nodes each
  const program = uopc.parse(lines.join('\n'));
  assert.equal(program.ok, false);
  assert.equal(program.diagnostics[0].code, 'E_LIMIT');
  program.free();
  assert.equal(uopc.bytes(), 0);
});

test('many programs at once, freed in any order', async () => {
  const uopc = await load();
  const programs = Array.from({ length: 50 }, (_, i) => uopc.parse(`%a = add ${i} 1\n`));
  uopc.check();
  for (let i = 0; i < 50; i++) {
    const [program] = programs.splice((i * 7) % programs.length, 1);
    assert.equal(program.run().ok, true);
    program.free();
  }
  uopc.check();
  assert.equal(uopc.bytes(), 0);
});

test('wrong arguments throw, and leave no byte behind', async () => {
  const uopc = await load();
  const text = '%x = param 0 dtype=i32\n%y = add %x 1\n';
  let program = uopc.parse(text);
  const before = uopc.bytes();
  for (const options of [
    { inputs: null },
    { inputs: [null] },
    { inputs: [{ kind: 'param', slot: 0, text: Symbol('x') }] },
    { inputs: [{ kind: 'param', slot: Symbol('x'), text: '1' }] },
    { fill: Symbol('x') },
    { maxSteps: Symbol('x') },
  ])
    assert.throws(() => program.run(options), TypeError);
  assert.throws(() => program.simplify({ set: Symbol('x') }), TypeError);
  assert.equal(uopc.bytes(), before);
  const given = { kind: 'param', slot: 0n, text: 41 };
  assert.equal(program.run({ inputs: [given] }).values[1].text, '42');
  const frees = {
    kind: 'param',
    slot: 0,
    get text() {
      program.free();
      return '1';
    },
  };
  assert.throws(() => program.run({ inputs: [frees] }), /this program was freed/);
  assert.equal(uopc.bytes(), 0);
  program = uopc.parse(text);
  assert.equal(program.run({ fill: 1n }).ok, true);
  program.free();
  assert.equal(uopc.bytes(), 0);
});
