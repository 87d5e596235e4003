// The page without a mouse, for a screen reader, in light and dark, wide and narrow: axe-core,
// contrast, the keyboard alone, and nothing that overlaps or is cut. Leaves screenshots.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { open, picture, start, type } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

const SHOWN = `# Equal statements are one node.
%x = param 0 dtype=i32
%a = add %x 3
%b = add %x 3
%c = mul %a %b
%v = stack %a %c
%s = reduce %v : op=add
assert %c 25
assert %s 31
`;
async function shown(options) {
  const page = await open(site, options);
  await type(page, SHOWN);
  await page.fill('#input-param-0', '2');
  await picture(page);
  await page.locator('g.node[aria-label^="%a"]').click();
  await page.waitForSelector('.facts');
  return page;
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations: found } = await page.evaluate(() => window.axe.run(document));
  return found
    .filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.flat().join(' ')).join(', ')}`);
}

/* What must not be: boxes over each other, text wider than its place, a page that scrolls sideways.
 * */
const misplaced = (page) =>
  page.evaluate(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
    const panes = [...document.querySelectorAll('header, .pane')].map((e) => [
      e.className || e.tagName,
      e.getBoundingClientRect(),
    ]);
    for (const [a, r] of panes)
      for (const [b, s] of panes)
        if (
          a < b &&
          r.left < s.right - 1 &&
          s.left < r.right - 1 &&
          r.top < s.bottom - 1 &&
          s.top < r.bottom - 1
        )
          found.push(`${a} overlaps ${b}`);
    const controls = [
      ...document.querySelectorAll('button, select, summary, input, dd, dt, h1, label'),
    ].filter((e) => e.checkVisibility() && !e.classList.contains('hidden'));
    for (const e of controls) {
      const r = e.getBoundingClientRect();
      if (r.left < 0 || r.right > innerWidth + 0.5)
        found.push(`${e.id || e.textContent} is cut at the side`);
      if (e.matches('button, summary, dd') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
        found.push(`the text of ${e.id || e.textContent} does not fit`);
    }
    return found;
  });

const contrast = (page) =>
  page.evaluate(() => {
    const rgb = (text) => (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    const light = (c) =>
      c
        .map((v) => v / 255)
        .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ratio = (a, b) => {
      const [x, y] = [light(rgb(a)), light(rgb(b))].sort((p, q) => q - p);
      return (x + 0.05) / (y + 0.05);
    };
    const low = [];
    for (const node of document.querySelectorAll('g.node'))
      for (const text of node.querySelectorAll('text')) {
        const r = ratio(
          getComputedStyle(text).fill,
          getComputedStyle(node.querySelector('[fill^="#"]')).fill,
        );
        if (r < 4.5) low.push(`${node.getAttribute('class')} ${text.textContent}: ${r.toFixed(2)}`);
      }
    const root = document.querySelector('#editor').shadowRoot;
    const surface = getComputedStyle(root.querySelector('.cm-editor')).backgroundColor;
    for (const span of root.querySelectorAll('.cm-line span')) {
      const r = ratio(getComputedStyle(span).color, surface);
      if (r < 4.5) low.push(`${span.textContent}: ${r.toFixed(2)}`);
    }
    return low;
  });

for (const colorScheme of ['light', 'dark'])
  for (const width of [1280, 390])
    test(`${colorScheme}, ${width} wide: axe, contrast, layout`, async () => {
      const page = await shown({
        colorScheme,
        viewport: { width, height: width > 500 ? 800 : 844 },
      });
      await page.evaluate(() => document.activeElement?.blur());
      await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/${colorScheme}-${width}.png`,
        fullPage: true,
      });
      assert.deepEqual(await misplaced(page), []);
      assert.deepEqual(await contrast(page), []);
      assert.deepEqual(await violations(page), []);
      for (const tab of ['simplify', 'challenges']) {
        await page.click(`#tab-${tab}`);
        if (tab === 'simplify') {
          await page.selectOption('#examples', '31-index.uir');
          await picture(page);
          await page.click('#simplify');
          await page.waitForSelector('.stepper');
          await picture(page);
          await page.getByRole('button', { name: 'Step forward' }).click();
          await picture(page);
        } else {
          await page.locator('.entry').nth(1).click();
          await picture(page);
          await page.click('#check');
          await page.waitForSelector('.verdict');
        }
        await page.mouse.move(1, 1);
        await page.screenshot({
          path: `${process.env.SCREENSHOTS}/${colorScheme}-${width}-${tab}.png`,
          fullPage: true,
        });
        assert.deepEqual(await misplaced(page), []);
        assert.deepEqual(await violations(page), []);
      }
      await type(page, '%a = mull 2 3\n%b = add (stack 1 2) (stack 1 2 3)\n');
      await page.waitForTimeout(1000); // what is late
      await page.screenshot({
        path: `${process.env.SCREENSHOTS}/${colorScheme}-${width}-error.png`,
        fullPage: true,
      });
      assert.deepEqual(await misplaced(page), []);
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });

test('the theme button goes from light to dark and stays', async () => {
  const page = await open(site, { colorScheme: 'light' });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.click('#theme');
  assert.notEqual(await background(), light);
  const dark = await background();
  await page.reload();
  await picture(page);
  assert.equal(await background(), dark);
  await page.context().close();
});

test('the keyboard alone: write, walk the graph, select, unfold, step, share', async () => {
  const page = await open(site);
  const { keyboard } = page;
  const focused = () =>
    page.evaluate(
      () => document.activeElement.getAttribute('aria-label') ?? document.activeElement.id,
    );
  const tabTo = async (wanted) => {
    for (let i = 0; i < 40; i++) {
      await keyboard.press('Tab');
      if (wanted.test((await focused()) ?? '')) return;
    }
    assert.fail(`Tab does not come to ${wanted}`);
  };
  await tabTo(/^editor$/);
  await keyboard.press('Control+A');
  await keyboard.type('%a = add 2 3\n%b = mul %a %a\n');
  await picture(page);
  // Tab leaves the editor; the graph moves by the arrow keys, and its nodes are the next stop.
  await tabTo(/^Graph\. /);
  const at = () =>
    page.evaluate(() => document.querySelector('#graph svg > g').getAttribute('transform'));
  const fit = await at();
  await keyboard.press('ArrowLeft');
  assert.notEqual(await at(), fit);
  await keyboard.press('+');
  await keyboard.press('0');
  assert.equal(await at(), fit);
  await keyboard.press('Tab');
  assert.match(await focused(), /^2 i32 \(\), const/);
  await keyboard.press('ArrowDown');
  assert.match(await focused(), /^%a add i32 \(\) = 5, line 1/);
  assert.deepEqual(await page.locator('.cm-lit').allTextContents(), ['%a = add 2 3= 5']);
  await keyboard.press('ArrowDown');
  assert.match(await focused(), /^%b mul/);
  await keyboard.press('Enter');
  await page.waitForSelector('.facts');
  assert.equal(await page.locator('#details h3 code').textContent(), 'mul');
  assert.equal(await page.locator('g.node.selected').getAttribute('aria-pressed'), 'true');
  await keyboard.press('Escape');
  assert.match(await focused(), /^Graph\. /);
  await keyboard.press('Escape');
  // The tabs, by arrow keys.
  for (let i = 0; i < 40 && !/^tab-inputs$/.test(await focused()); i++)
    await keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'tab-inputs');
  await keyboard.press('ArrowRight');
  assert.equal(await focused(), 'tab-simplify');
  await tabTo(/^simplify$/);
  await keyboard.press('Enter');
  await page.waitForSelector('.stepper');
  await keyboard.press('Enter');
  assert.match(await page.locator('.where').textContent(), /^Step 1 of/);
  assert.deepEqual(page.faults, []);
});

test('a button over the picture leaves the focus in the graph when it goes', async () => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i <= 500; i++)
    lines.push(`%x${i} = ${['add', 'mul'][i % 2]} %x${i - 1} %x${i >> 2}`);
  await type(page, lines.join('\n'));
  await page.getByRole('button', { name: 'Draw it all the same' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'graph');
  assert.deepEqual(page.faults, []);
  await page.context().close(); // and with it the layout, which would go on
});

test('a node without a name stays selected while the program grows below it', async () => {
  const page = await open(site);
  await type(page, '%a = add (mul 2 3) (mul 2 5)\n');
  const selected = () =>
    page.locator('g.node.selected').evaluateAll((all) => all.map((g) => g.dataset.box));
  const second = page.locator('g.node[aria-label^="mul"]').nth(1);
  await second.click();
  const chosen = [await second.getAttribute('data-box')];
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('%b = mul %a 7\n');
  await picture(page);
  assert.deepEqual(await selected(), chosen);
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('%z = neg 1\n'); // the numbers of all nodes change
  await picture(page);
  assert.deepEqual(await selected(), []);
  assert.deepEqual(page.faults, []);
});

test('a folded run opens by Enter, and the focus stays in the graph', async () => {
  const page = await open(site);
  await page.selectOption('#examples', '16-doubling30.uir');
  await picture(page);
  await page.locator('#graph').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('g.node').length === 31);
  assert.ok(
    await page.evaluate(() => document.querySelector('#graph').contains(document.activeElement)),
  );
  assert.deepEqual(page.faults, []);
});
