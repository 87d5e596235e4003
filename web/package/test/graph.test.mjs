/* graph.test.mjs - what a program is made of: nodes, figures, the picture and its boxes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'uopc';

const uopc = await load();
const LESSON = '%a = add 2 3\n%b = add 2 3\n%c = mul %a %b\n';

function doubling(levels) {
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i <= levels; i++) lines.push(`%x${i} = add %x${i - 1} %x${i - 1}`);
  return `${lines.join('\n')}\n`;
}

test("the lesson's program has 4 nodes, and one more name adds none", () => {
  for (const text of [LESSON, `${LESSON}%e = add 2 3\n`]) {
    const program = uopc.parse(text);
    const { treeLog10, ...stats } = program.stats();
    assert.equal(stats.nodes, 4);
    assert.equal(program.nodes().length, 4);
    if (text === LESSON)
      assert.deepEqual(stats, {
        nodes: 4,
        ops: 2,
        depth: 2,
        tree: '7',
        byOp: { const: 2, add: 1, mul: 1 },
        work: '2',
        bytes: '24',
      });
    assert.ok(Math.abs(treeLog10 - Math.log10(7)) < 1e-12);
    program.free();
  }
});

test('a node says what it is, and all its names and lines', () => {
  const program = uopc.parse(LESSON);
  assert.deepEqual(program.nodes()[2], {
    id: 2,
    op: 'add',
    arg: '',
    dtype: 'i32',
    shape: [],
    space: 'alu',
    src: [0, 1],
    names: ['a', 'b'],
    lines: [1, 2],
  });
  assert.equal(program.nodes()[0].arg, '2');
  program.free();
});

test('args are as .uir writes them', () => {
  const text = '%m = param 4 shape=(2, 3)\n%r = reshape %m (3, 2)\n%s = reduce %r : op=max pop=2\n';
  const program = uopc.parse(text);
  assert.deepEqual(
    program.nodes().map(({ arg }) => arg),
    ['slot=4', '(3, 2)', 'op=max pop=2'],
  );
  assert.deepEqual(
    program.nodes().map(({ shape }) => shape),
    [[2, 3], [3, 2], []],
  );
  program.free();
});

test('300 doublings are 301 nodes, about 4.07e90 as a tree', () => {
  const program = uopc.parse(doubling(300)); // 2 to the 301, less 1: 4.074e90
  const { nodes, ops, depth, tree, treeLog10, byOp, work } = program.stats();
  assert.deepEqual([nodes, ops, depth, tree, work], [301, 300, 300, 'about 4.07e90', '300']);
  assert.deepEqual(byOp, { param: 1, add: 300 });
  assert.ok(Math.abs(treeLog10 - 301 * Math.log10(2)) < 1e-9);
  program.free();
});

test('a tree of 63 bits is in full', () => {
  const program = uopc.parse(doubling(61));
  assert.equal(program.stats().tree, String(2n ** 62n - 1n));
  program.free();
});

test('a long run is one box, until it is opened', () => {
  const program = uopc.parse(doubling(300));
  const folded = program.graph();
  assert.deepEqual(Object.keys(folded.boxes), ['n0', 'n300']);
  assert.equal(folded.boxes.n300.folded, true);
  assert.equal(folded.boxes.n300.nodes.length, 300);
  assert.match(folded.dot, /× 300/);
  const open = program.graph({ open: ['n300', 'n0', 'n9999', 'nonsense', 'n1\nopen 2'] });
  assert.equal(Object.keys(open.boxes).length, 301);
  assert.deepEqual(open.boxes.n300, { nodes: [300], folded: false });
  assert.doesNotMatch(open.dot, /×/);
  program.free();
});

test('values stand in the picture', () => {
  const long = '%v = stack 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n';
  const rows = '%m = stack (stack 1 2) (stack 3 4)\n';
  const program = uopc.parse(`${LESSON}${long}${rows}`);
  const { dot } = program.graph({ values: program.run() });
  assert.match(dot, /label="%a, %b\\nadd\\ni32 \(\)\\n= 5"/);
  assert.match(dot, /label="%c\\nmul\\ni32 \(\)\\n= 25"/);
  assert.match(dot, /\\n= \[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"/);
  assert.match(dot, /\\n= \[\[1, 2\], \[3, 4\]\]"/);
  program.free();
});

test('facts: bounds, cost of all below, and a value where no input is asked for', () => {
  const program = uopc.parse(
    '%p = param 0 dtype=i32\n%q = mod %p 8\n%r = add 2 3\n%f = mul 2.0 3.0\n',
  );
  const node = (name) => program.statements.find((s) => s.name === name).node;
  assert.deepEqual(program.facts(node('q')).bounds, [0, 7]);
  assert.equal(program.facts(node('q')).value, undefined);
  assert.deepEqual(program.facts(node('r')), {
    bounds: [5, 5],
    work: '1',
    bytes: '12',
    value: '5',
  });
  assert.equal(program.facts(node('f')).bounds, undefined);
  assert.equal(program.facts(node('f')).value, '6.0');
  assert.deepEqual(program.facts(99), { work: '0', bytes: '0' });
  program.free();
});

test('tables: ops and further names, sets, rules', () => {
  const ops = new Map(uopc.ops().map((op) => [op.name, op]));
  assert.deepEqual(ops.get('add'), {
    name: 'add',
    spellings: ['add', 'ADD'],
    kind: 'elementwise',
    signature: 'add a b',
    doc: 'a + b; i32 wraps, bool is or',
    args: [],
  });
  assert.equal(ops.get('sub').doc, 'add a (neg b)');
  assert.deepEqual(ops.get('reduce').args, ['op', 'pop']);
  const signatures = {
    reduce: 'reduce x : op= pop=',
    shrink: 'shrink x, ((begin, end), …)',
    param: 'param : slot= dtype= shape= space=',
    buffer: 'buffer size : dtype= slot=',
    stack: 'stack x…',
    sink: 'sink x…',
    where: 'where condition a b',
    neg: 'neg x',
  };
  for (const [name, signature] of Object.entries(signatures))
    assert.equal(ops.get(name).signature, signature);
  assert.equal(uopc.sets()[0], 'simplify');
  const rules = uopc.rules();
  assert.ok(rules.length > 100);
  for (const rule of rules)
    assert.ok(rule.doc && rule.text.startsWith(rule.name) && uopc.sets().includes(rule.set));
});
