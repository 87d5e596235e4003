// Every challenge: what it starts with does not solve it, its solution does. One that asks a
// question hides the answer until then.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { open, picture, start, type } from './browser.mjs';
import { readChallenges } from '../challenges.mjs';

let site;
let page;
before(async () => {
  site = await start(process.env.WEB);
  page = await open(site);
  await page.click('#tab-challenges');
});
after(() => site.stop());

async function check() {
  await page.click('#check');
  await page.waitForSelector('.verdict');
  const verdict = await page.locator('.verdict').textContent();
  const results = await page.locator('.results li').allTextContents();
  await page.evaluate(() => document.querySelector('.results').replaceChildren());
  return { verdict, results };
}

const challenges = readChallenges();
for (const challenge of challenges)
  test(`challenge: ${challenge.title}`, async () => {
    await page.locator('.entry').nth(challenges.indexOf(challenge)).click();
    await picture(page);
    const asks = challenge.checks.some((c) => c.kind === 'answer');
    assert.equal(await page.locator('#figures').isVisible(), !asks);
    assert.equal(await page.locator('#graph svg').isVisible(), !asks);
    if (asks) {
      assert.deepEqual(await check(), {
        verdict: '✗ Not yet.',
        results: ['✗ Type your answer first.'],
      });
      await page.fill('#answer', String(Number(challenge.solution) + 1));
    }
    assert.equal((await check()).verdict, '✗ Not yet.');
    if (asks) await page.fill('#answer', challenge.solution);
    else await type(page, challenge.solution);
    const { verdict, results } = await check();
    assert.equal(verdict, '✓ Solved.', results.join('\n'));
    assert.equal(results.length, challenge.checks.length);
    assert.ok(await page.locator('#figures').isVisible());
    await page.getByRole('button', { name: 'All challenges' }).click();
    assert.match(
      await page.locator('.entry').nth(challenges.indexOf(challenge)).textContent(),
      /solved/,
    );
    assert.deepEqual(page.faults, []);
  });

const verdictOf = async (title, program) => {
  await page
    .locator('.entry')
    .nth(challenges.findIndex((c) => c.title === title))
    .click();
  await picture(page);
  await type(page, program);
  const answer = await check();
  await page.getByRole('button', { name: 'All challenges' }).click();
  return answer;
};

test('x to the 8th: another result does not pass, nor a program with an error', async () => {
  const wrong = await verdictOf(
    'x to the 8th in 3 ops',
    '%x = param 0 dtype=i32\n%a = mul %x %x\n%b = mul %a %a\n%out = mul %b %a\n',
  );
  assert.deepEqual(wrong.results, [
    '✗ With slot 0 = 2 the result should be 256, not 64.',
    '✓ 3 ops: no more than 3.',
  ]);
  const constant = await verdictOf('x to the 8th in 3 ops', '%out = const 256\n');
  assert.equal(constant.verdict, '✗ Not yet.');
  const broken = await verdictOf('x to the 8th in 3 ops', '%x = param 0 dtype=i33\n');
  assert.match(broken.results[0], /^✗ The program has an error in line 1: /);
});

test('two names that meet by meaning nothing do not pass', async () => {
  const { results } = await verdictOf('Make these two meet', '%a = const 1\n%b = const 1\n');
  assert.equal(results[0], '✓ %a and %b are one node.');
  assert.match(results[1], /^✗ /);
});

test('a table of the hidden inputs does not pass', async () => {
  const { results } = await verdictOf(
    'x to the 8th in 3 ops',
    '%x = param 0 dtype=i32\n%t = stack 0 7 256 7 7 0 7 7 6561 7 100000000\n' +
      '%m = mod %x 11\n%out = index %t %m\n',
  );
  assert.equal(results[0], '✗ It is right for some inputs, and not for others.');
});

test('an answer may be written as the page writes numbers', async () => {
  await page.locator('.entry').nth(3).click(); // 31 nodes
  for (const [given, verdict] of [
    ['3 2', '✗ Not yet.'],
    [' 3,1 ', '✓ Solved.'],
  ]) {
    await page.fill('#answer', given);
    assert.equal((await check()).verdict, verdict);
  }
  await page.getByRole('button', { name: 'All challenges' }).click();
});

test('what a question hides is nowhere else', async () => {
  const page = await open(site); // on which nothing is solved yet
  await page.click('#tab-challenges');
  await page.locator('.entry').nth(4).click(); // what is twice 2 to the 30th?
  await picture(page);
  await page.click('#tab-simplify');
  await page.click('#simplify');
  assert.match(await page.locator('#simplify-panel').textContent(), /Hidden until/);
  await page.locator('#download summary').click();
  await page.click('[data-as="svg"]');
  assert.match(await page.locator('#status').textContent(), /Hidden until/);
  await page.click('#tab-challenges');
  await page.locator('.cm-content').getByText('%x31').first().hover();
  await page.locator('.cm-tooltip .card').waitFor();
  assert.doesNotMatch(await page.locator('.cm-tooltip .card').textContent(), /-2147483648/);
  const lines = ['%x0 = param 0 dtype=i32', '%x1 = param 1 dtype=i32'];
  for (let i = 2; i < 500; i++)
    lines.push(`%x${i} = ${['add', 'mul'][i % 2]} %x${i - 1} %x${i >> 2}`);
  await type(page, lines.join('\n'));
  const notice = page.locator('#notice');
  assert.match(await notice.textContent(), /^Hidden until .*Show anyway$/);
  await page.getByRole('button', { name: 'Show anyway' }).click();
  assert.match(await notice.textContent(), /^500 boxes: too many to draw at once/);
  await page.getByRole('button', { name: 'All challenges' }).click();
  assert.match(await notice.textContent(), /^500 boxes: too many to draw at once/);
  assert.deepEqual(page.faults, []);
});
