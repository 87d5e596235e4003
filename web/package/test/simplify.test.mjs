/* simplify.test.mjs - the simplified program, and every step on the way. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'uopc';

const uopc = await load();
const LESSON = '%p = param 0 dtype=i32\n%q = mod (max %p 0) 8\n%r = lt %q 8\n';

test("the lesson's comparison is true, in one step", () => {
  const program = uopc.parse(LESSON);
  const made = program.simplify();
  assert.equal(made.text, '%0 = const true\n');
  assert.equal(made.more, false);
  assert.equal(made.steps.length, 1);
  const [{ rule, before, after, node, doc, text }] = made.steps;
  assert.equal(before, 'cmplt (floormod (max (param : slot=0 dtype=i32) 0) 8) 8');
  assert.equal(after, 'const true');
  assert.equal(node, program.statements[2].node);
  const known = uopc.rules().find(({ name }) => name === rule);
  assert.deepEqual({ doc, text }, { doc: known.doc, text: known.text });
  assert.deepEqual([made.before.nodes, made.after.nodes], [6, 1]);
  const [first, last] = [made.at(0), made.at(1)];
  assert.equal(first.text, program.print());
  assert.deepEqual(first.changed, []);
  assert.deepEqual(first.graph, program.graph());
  assert.deepEqual(first.nodes, program.nodes());
  assert.equal(last.text, made.text);
  assert.deepEqual(last.changed, [last.nodes[0].id]);
  assert.deepEqual(
    last.nodes.map(({ names, lines }) => [names, lines]),
    [[['r'], [3]]],
  );
  assert.match(last.graph.dot, /label="%r\\ntrue/);
  assert.throws(() => made.at(2), /there is no step 2/);
  program.free();
  assert.equal(made.at(0).text, first.text); // it has memory of its own
  made.free();
  assert.throws(() => made.at(0), /was freed/);
});

test('a set can be chosen; one that is not there is an Error', () => {
  const program = uopc.parse('%x = param 0\n%s = mul %x %x\n%y = call %s 3 : name=s\n');
  const made = program.simplify({ set: 'inline' });
  assert.equal(made.text, '%0 = mul 3.0, 3.0\n');
  const more = program.simplify({ set: 'inline fold' });
  assert.equal(more.text, '%0 = const 9.0\n');
  assert.throws(() => program.simplify({ set: 'nonsense' }), /nonsense/);
  for (const each of [made, more, program]) each.free();
});

test('without a trace, and with a short one', () => {
  const terms = Array.from({ length: 20 }, (_, i) => `%a${i} = add (mul %x ${i}) 0\n`).join('');
  const sum = Array.from(
    { length: 19 },
    (_, i) => `%s${i + 1} = max %${i ? 's' + i : 'a0'} %a${i + 1}\n`,
  ).join('');
  const program = uopc.parse(`%x = param 0 dtype=i32\n${terms}${sum}`);
  const whole = program.simplify();
  assert.ok(whole.steps.length > 5);
  const short = program.simplify({ maxTrace: 5 });
  assert.equal(short.steps.length, 5);
  assert.equal(short.more, true);
  const none = program.simplify({ trace: false });
  assert.deepEqual([none.steps, none.more], [[], false]);
  assert.equal(short.text, whole.text);
  assert.equal(none.text, whole.text);
  for (const each of [whole, short, none, program]) each.free();
});

/* Of each golden, all steps in turn lead from what was given to what came out, whichever way they
 * are asked for. */
const folder = process.env.UOPC_GOLDENS;
test('the steps of the golden files add up', { skip: !folder }, () => {
  let steps = 0;
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.uir')) continue;
    const program = uopc.parse(readFileSync(`${folder}/${name}`, 'utf8'));
    if (program.ok) {
      const [made, again] = [program.simplify(), program.simplify()];
      const n = made.steps.length;
      const down = [];
      for (let k = n; k >= 0; k--) down.unshift(again.at(k).text);
      for (let k = 0; k <= n; k++) assert.equal(made.at(k).text, down[k], name);
      assert.equal(down[n], made.text, name);
      assert.equal(down[0], uopc.parse(program.print()).print(), name);
      steps += n;
      made.free();
      again.free();
    }
    program.free();
  }
  assert.ok(steps > 50);
});
