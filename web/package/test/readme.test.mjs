/* readme.test.mjs - the examples of README.md run, and print what their comments "//> " say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { format } from 'node:util';

const AsyncFunction = (async () => {}).constructor;
const readme = readFileSync(new URL(import.meta.resolve('uopc/README.md')), 'utf8');
const examples = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);

test('there are examples', () => assert.equal(examples.length, 5));

examples.forEach((code, i) =>
  test(`example ${i + 1}`, async () => {
    const printed = [];
    const log = (...values) =>
      printed.push(
        ...format(...values)
          .trimEnd()
          .split('\n'),
      );
    const body = code.replace(
      /^import (\{.*\}) from 'uopc';$/m,
      "const $1 = await import('uopc');",
    );
    await new AsyncFunction('console', body)({ log });
    assert.deepEqual(
      printed,
      [...code.matchAll(/\/\/> (.*)$/gm)].map(([, line]) => line),
    );
  }),
);
