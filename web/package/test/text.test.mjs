/* text.test.mjs - reading: statements, printing, and where what is wrong stands, in UTF-16. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'uopc';

const uopc = await load();

function diagnostics(text) {
  const program = uopc.parse(text);
  const found = program.diagnostics;
  program.free();
  return found;
}

test('equal statements are one node', () => {
  const text = '%a = add 2 3\n%b = add 2 3\n%c = mul %a %b\n';
  const program = uopc.parse(text);
  assert.equal(program.ok, true);
  assert.deepEqual(program.diagnostics, []);
  assert.deepEqual(program.statements, [
    { name: 'a', line: 1, from: 0, to: 12, node: 2 },
    { name: 'b', line: 2, from: 13, to: 25, node: 2 },
    { name: 'c', line: 3, from: 26, to: 40, node: 3 },
  ]);
  assert.equal(program.print(), '%0 = add 2, 3\n%1 = mul %0, %0\n');
  program.free();
});

test('an undefined name is marked at the operand, behind a comment that is not ASCII', () => {
  // é is one UTF-16 unit, the face two, and they take two and four bytes
  const text = '# é\u{1F600}\n%y = add %x 2\n';
  const [wrong, ...more] = diagnostics(text);
  assert.deepEqual(more, []);
  assert.equal(text.slice(15, 17), '%x');
  const { message, ...place } = wrong;
  assert.deepEqual(place, {
    severity: 'error',
    code: 'E_NAME',
    line: 2,
    column: 10,
    from: 15,
    to: 17,
  });
  assert.match(message, /%x/);
});

test('a mark takes whole characters', () => {
  const text = '%y = add \u{1D4B3} 2\n';
  const [wrong] = diagnostics(text);
  assert.deepEqual([wrong.from, wrong.to, wrong.column], [9, 11, 10]);
});

test('a lone surrogate is one unit', () => {
  const text = '# \ud800\n%y = add %x 2\n';
  const [wrong] = diagnostics(text);
  assert.equal(text.slice(wrong.from, wrong.to), '%x');
});

test('Windows line ends count', () => {
  const text = '%a = add 2 3\r\n%b = add %a %q\r\n';
  const [wrong] = diagnostics(text);
  assert.equal(text.slice(wrong.from, wrong.to), '%q');
  assert.equal(wrong.line, 2);
});

test('errors stand in the order of the text, warnings are told apart', () => {
  const found = diagnostics('%a = add %x 1\n%b = add %y 2\n');
  assert.deepEqual(
    found.map(({ line }) => line),
    [1, 2],
  );
  const [warning] = diagnostics('%a = add 2 3\n%b = mul 4 5\n');
  assert.deepEqual(
    [warning.severity, warning.code, warning.from, warning.to],
    ['warning', 'W_UNUSED', 0, 2],
  );
});

test('shapes that do not fit are an error at the operand', () => {
  const text = '%a = param 0 shape=(2,)\n%b = param 1 shape=(3,)\n%c = add %a %b\n';
  const [wrong] = diagnostics(text);
  assert.equal(wrong.code, 'E_SHAPE');
  assert.equal(wrong.line, 3);
  assert.match(wrong.message, /can't broadcast \(2,\) with \(3,\)/);
  assert.doesNotMatch(wrong.message, /^line/);
});

test('an empty text is an error, and no exception', () => {
  const program = uopc.parse('');
  assert.equal(program.ok, false);
  assert.deepEqual(program.statements, []);
  assert.equal(program.diagnostics.length, 1);
  assert.deepEqual([program.diagnostics[0].from, program.diagnostics[0].to], [0, 0]);
  assert.throws(() => program.nodes(), /this program has errors/);
  program.free();
});

test('20,000 lines have their places', () => {
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i < 20_000; i++) lines.push(`%x${i} = add %x${i - 1} ${i} # é`);
  const text = lines.join('\n');
  const program = uopc.parse(text);
  assert.equal(program.statements.length, 20_000);
  for (const i of [0, 1, 777, 19_999]) {
    const { from, to, name } = program.statements[i];
    assert.equal(text.slice(from, to), lines[i].replace(' # é', ''));
    assert.equal(name, `x${i}`);
  }
  program.free();
});

test('a byte order mark is one unit of the text, and no column', () => {
  const text = '\ufeff%a = add 2 %typo\n%b = add 2 %other\n';
  const marks = diagnostics(text).map(({ line, column, from, to }) => [
    line,
    column,
    text.slice(from, to),
  ]);
  assert.deepEqual(marks, [
    [1, 12, '%typo'],
    [2, 12, '%other'],
  ]);
});
