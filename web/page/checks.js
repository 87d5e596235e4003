// What a challenge asks of a program, decided by the library alone. Each check gives { pass,
// message }; nothing here touches the page, so that the tests run it in Node as well. To add a
// kind, add a function.
const FREE = ['const', 'param'];
const say = (pass, message) => ({ pass, message });
const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const ops = (program) => program.nodes().filter((n) => !FREE.includes(n.op));
const bareNumber = (answer) => String(answer).replace(/[\s,_]/g, ''); // 1,234 as the page writes it
const valueOf = (text) => text.replace(/ : \w+ \([\d, ]*\)$/, '');

/* The value of a statement, or of the result: the last statement that has a name. */
function result(run, name) {
  const named = run.values.filter((v) => v.name !== null);
  return name ? named.findLast((v) => v.name === name) : named.at(-1);
}

/* Inputs that are made up, beside the cases: a table of these alone is no solution. */
const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
const resultOf = (program, { of }, fill) => result(program.run({ fill }), of)?.text;

const functions = {
  outputs(check, { program, solution }) {
    for (const { inputs, output } of check.cases) {
      const run = program.run({
        inputs: inputs.map((text, slot) => ({ kind: 'param', slot, text })),
      });
      const value = result(run, check.of);
      const told = inputs.map((text, slot) => `slot ${slot} = ${text}`).join(', ');
      const got = value && !value.error ? valueOf(value.text) : null;
      if (got !== output)
        return say(
          false,
          `With ${told} the result should be ${output}` +
            (got === null ? ', but there is none.' : `, not ${got}.`),
        );
    }
    const differs = (fill) => resultOf(program, check, fill) !== resultOf(solution, check, fill);
    if (solution?.ok && seeds.some(differs))
      return say(false, 'It is right for some inputs, and not for others.');
    return say(true, `The result is right for ${count(check.cases.length, 'hidden input')}.`);
  },
  maxOps(check, { program }) {
    const n = ops(program).length;
    return say(
      n <= check.ops,
      n <= check.ops
        ? `${count(n, 'op')}: no more than ${check.ops}.`
        : `${count(n, 'op')}, and at most ${check.ops} are allowed.`,
    );
  },
  maxDepth(check, { program }) {
    const { depth } = program.stats();
    return say(
      depth <= check.depth,
      depth <= check.depth
        ? `Depth ${depth}: no more than ${check.depth}.`
        : `Depth ${depth}, and at most ${check.depth} is allowed.`,
    );
  },
  onlyOps(check, { program }) {
    const other = ops(program).find((n) => !check.ops.includes(n.op));
    return say(
      !other,
      other
        ? `The op ${other.op} is not allowed here: only ${check.ops.join(', ')}.`
        : `Only ${check.ops.join(', ')}.`,
    );
  },
  same({ names: [a, b] }, { program }) {
    const node = (name) => program.statements.findLast((s) => s.name === name)?.node;
    if (node(a) === undefined || node(b) === undefined)
      return say(false, `The program has to define %${a} and %${b}.`);
    return say(
      node(a) === node(b),
      node(a) === node(b)
        ? `%${a} and %${b} are one node.`
        : `%${a} and %${b} are still two nodes.`,
    );
  },
  answer(check, { answer, starter }) {
    const given = bareNumber(answer ?? '');
    if (given === '') return say(false, 'Type your answer first.');
    const { [check.of]: right } =
      check.of === 'value' ? { value: valueOf(result(starter.run()).text) } : starter.stats();
    const pass = given === bareNumber(right);
    return say(pass, pass ? `${given} is right.` : `${given} is not it.`);
  },
};

export const kinds = Object.keys(functions);

export function check(uopc, challenge, text, answer) {
  const program = uopc.parse(text);
  const starter = uopc.parse(challenge.starter);
  const solution = challenge.solution ? uopc.parse(challenge.solution) : null;
  try {
    if (!program.ok) {
      const { line, message } = program.diagnostics.find((d) => d.severity === 'error');
      return [say(false, `The program has an error in line ${line}: ${message}`)];
    }
    return challenge.checks.map((c) => functions[c.kind](c, { program, starter, solution, answer }));
  } finally {
    program.free();
    starter.free();
    solution?.free();
  }
}
