/* run.test.mjs - values, asserts, inputs and budgets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'uopc';

const uopc = await load();

function run(text, options) {
  const program = uopc.parse(text);
  assert.deepEqual(
    program.diagnostics.filter(({ severity }) => severity === 'error'),
    [],
  );
  const result = program.run(options);
  program.free();
  return result;
}
const texts = (result) => Object.fromEntries(result.values.map(({ name, text }) => [name, text]));

test('every statement has its value', () => {
  const result = run(
    '%a = add 2 3\n%b = mul %a %a\n%f = recip 4.0\n%v = stack 1 2 3\n%t = lt 1 2\n',
  );
  assert.deepEqual(texts(result), { a: '5', b: '25', f: '0.25', v: '[1, 2, 3]', t: 'true' });
  assert.equal(result.ok, true);
  assert.deepEqual(result.diagnostics, []);
});

test('asserts pass and fail by their lines', () => {
  const result = run('%a = add 2 3\nassert %a 5\nassert %a 6\n%n = assert %a 5\n');
  assert.deepEqual(
    result.asserts.map(({ line, pass }) => [line, pass]),
    [
      [2, true],
      [3, false],
      [4, true],
    ],
  );
  assert.match(result.asserts[1].message, /5 != 6/);
  assert.equal(result.ok, false);
  assert.deepEqual(
    result.diagnostics.map(({ code, line, from, to }) => [code, line, from, to]),
    [['E_ASSERT', 3, 25, 36]],
  );
});

test('inputs are found, given, and refused', () => {
  const text =
    '%x = param 0 dtype=i32 shape=(3,)\n%b = buffer 2 : slot=1\n%s = reduce %x\n' +
    '%y = mul %s 2\n%z = load %b\n';
  const program = uopc.parse(text);
  assert.deepEqual(
    program.inputs().map(({ node, ...rest }) => rest),
    [
      { kind: 'param', slot: 0, dtype: 'i32', shape: [3] },
      { kind: 'buffer', slot: 1, dtype: 'f32', shape: [2] },
    ],
  );
  const inputs = [
    { kind: 'param', slot: 0, text: '[1, 2, 6]' },
    { kind: 'buffer', slot: 1, text: '[0.5, nan]' },
  ];
  const good = program.run({ inputs });
  assert.equal(good.ok, true);
  assert.equal(texts(good).y, '18');
  assert.equal(texts(good).z, '[0.5, nan]');
  const wrong = program.run({
    inputs: [
      { kind: 'param', slot: 0, text: '[1, 2]' },
      { kind: 'param', slot: 7, text: '1' },
      { kind: 'buffer', slot: 1, text: 'x' },
    ],
  });
  assert.deepEqual(
    wrong.inputErrors.map(({ kind, slot }) => [kind, slot]),
    [
      ['param', 0],
      ['param', 7],
      ['buffer', 1],
    ],
  );
  assert.equal(
    wrong.inputErrors[0].message,
    'the value is i32 (2,), param 0 of the program is i32 (3,)',
  );
  assert.equal(wrong.ok, false);
  const none = program.run();
  assert.deepEqual(
    none.diagnostics.map(({ code, line }) => [code, line]),
    [
      ['E_INPUT', 1],
      ['E_INPUT', 2],
    ],
  );
  assert.match(none.values[3].error, /slot=0 has no value/);
  program.free();
});

test('inputs can be made up, the same each time', () => {
  const text = '%x = param 0 dtype=i32 shape=(4,)\n%y = mul %x 1\n';
  const [a, b, c] = [1, 1, 2].map((fill) => texts(run(text, { fill })).y);
  assert.equal(a, b);
  assert.notEqual(a, c);
});

test("a function's parameter has no value outside of its call", () => {
  const result = run('%x = param 0 dtype=i32\n%sq = mul %x %x\n%y = call %sq 7 : name=sq\n');
  assert.equal(texts(result).y, '49');
  assert.equal(result.ok, true);
  assert.deepEqual(result.diagnostics, []);
  assert.equal(result.values[1].error, 'it has a value only inside a call');
});

test('a division by zero is a warning at its line', () => {
  const result = run('%x = param 0 dtype=i32\n%y = div 7 %x\n', {
    inputs: [{ kind: 'param', slot: 0, text: '0' }],
  });
  assert.deepEqual(
    result.diagnostics.map(({ code, severity, line }) => [code, severity, line]),
    [['W_DIVISION', 'warning', 2]],
  );
  assert.equal(texts(result).y, '0');
  assert.equal(result.ok, true);
});

test('an index outside its axis fails that statement alone', () => {
  const result = run('%v = stack 1 2 3\n%i = param 0 dtype=i32\n%a = index %v %i\n%b = add 1 1\n', {
    inputs: [{ kind: 'param', slot: 0, text: '3' }],
  });
  assert.equal(result.diagnostics[0].code, 'E_INDEX');
  assert.equal(result.diagnostics[0].line, 3);
  assert.equal(texts(result).b, '2');
});

test('a run over budget ends with the message, told once', () => {
  const text = '%x = param 0 shape=(1000,)\n%y = exp2 %x\n%z = sin %y\n';
  const steps = run(text, { fill: 1, maxSteps: 500 });
  assert.deepEqual(
    steps.diagnostics.map(({ code }) => code),
    ['E_BUDGET'],
  );
  assert.equal(steps.ok, false);
  assert.ok(steps.steps <= 500);
  const bytes = run('%x = param 0 shape=(1000000,)\n%y = exp2 %x\n', {
    fill: 1,
    maxBytes: 1_000_000,
  });
  assert.equal(bytes.ok, false);
  assert.ok(bytes.diagnostics.length >= 1);
});
