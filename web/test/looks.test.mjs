// Windows of other sizes and programs of other sizes than most: nothing lies over anything else, the
// first view of a graph shows something, and what is not shown is said.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { open, picture, start, type } from './browser.mjs';

let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

const rect = (page, selector) => page.locator(selector).boundingBox();
const example = async (page, file) => {
  await page.selectOption('#examples', file);
  await picture(page);
};

test('in a short window the verdict stays above the tabs, and the column scrolls', async () => {
  const page = await open(site, { viewport: { width: 1280, height: 500 } });
  await example(page, '31-index.uir');
  await page.click('#tab-simplify');
  await page.click('#simplify');
  await page.waitForSelector('.stepper');
  const verdict = await rect(page, '#problems');
  const work = await rect(page, '.work');
  assert.ok(verdict.y + verdict.height < work.y, `${verdict.y + verdict.height} < ${work.y}`);
  await page.locator('pre.program').scrollIntoViewIfNeeded();
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.context().close();
});

test('the header is one row at 640, and nothing is cut at 320', async () => {
  const page = await open(site, { viewport: { width: 640, height: 800 } });
  const row = async (selector) => {
    const { y, height } = await rect(page, selector);
    return Math.round(y + height / 2);
  };
  assert.equal(await row('#theme'), await row('h1'));
  assert.equal(await row('#examples'), await row('h1'));
  await page.screenshot({ path: `${process.env.SCREENSHOTS}/640.png`, fullPage: true });
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await row('#theme'), await row('h1'));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await page.context().close();
});

for (const [width, height] of [
  [2200, 1100],
  [1280, 800],
  [640, 800],
  [320, 640],
])
  test(`the first view of a tall graph, ${width} wide`, async () => {
    const page = await open(site, { viewport: { width, height } });
    await example(page, '58-layernorm.uir');
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/tall-${width}.png` });
    const view = await rect(page, '#graph');
    const boxes = [];
    for (const node of await page.locator('g.node').all()) boxes.push(await node.boundingBox());
    const top = boxes.reduce((a, b) => (b.y < a.y ? b : a));
    assert.ok(top.y >= view.y && top.y < view.y + 40, 'the top is at the top');
    const seen = boxes.filter((b) => b.y < view.y + view.height);
    const left = Math.min(...seen.map((b) => b.x)) - view.x;
    const right = view.x + view.width - Math.max(...seen.map((b) => b.x + b.width));
    assert.ok(top.x >= view.x && top.x + top.width <= view.x + view.width, 'the top is whole');
    // As much room on the left as on the right; where a side is cut, no more than the margin.
    if (left > 17 || right > 17) assert.ok(Math.abs(left - right) < 40, `${left}, ${right}`);
    await page.context().close();
  });

test('the names in the picture are no wider than their boxes', async () => {
  const page = await open(site);
  const name = 'a_name_that_is_much_longer_than_what_is_below_it';
  await type(page, `%${name} = add 2 3\n`);
  const node = page.locator('g.node').filter({ hasText: name });
  const text = await node.locator('text.name').boundingBox();
  const box = await node.locator('polygon').first().boundingBox();
  assert.ok(text.x >= box.x && text.x + text.width <= box.x + box.width);
  await page.context().close();
});

test('with reduced motion nothing moves', async () => {
  const page = await open(site, { reducedMotion: 'reduce' });
  await type(page, '%a = mull 2 3\n');
  const style = (selector) =>
    page
      .locator(selector)
      .evaluate((e) => [getComputedStyle(e).transitionDuration, getComputedStyle(e).animationName]);
  assert.deepEqual(await style('#graph.stale svg'), ['0s', 'none']);
  assert.deepEqual(await style('#notice.late'), ['0s', 'none']);
  assert.deepEqual(await style('#theme'), ['0s', 'none']);
  await page.context().close();
});

test('of many inputs and problems the page says how many it shows', async () => {
  const page = await open(site);
  const lines = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join('\n');
  await type(page, lines(260, (i) => `%p${i} = param ${i} dtype=i32`));
  assert.equal(await page.locator('.row').count(), 200);
  assert.ok(await page.getByText('The first 200 of 260 inputs are shown.').isVisible());
  await type(page, lines(200, (i) => `%p${i} = param ${i} dtype=i32`));
  assert.ok(!(await page.getByText('inputs are shown').isVisible()));
  const verdict = () => page.locator('#verdict').textContent();
  await type(page, lines(19, (i) => `%e${i} = mull ${i} 3`));
  assert.equal(await verdict(), '19 errors');
  await type(page, lines(30, (i) => `%e${i} = mull ${i} 3`));
  assert.equal(await verdict(), '20 errors or more');
  await page.context().close();
});
