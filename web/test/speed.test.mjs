// Measured, and printed: from a keystroke to the values and to the new graph, and what the page
// weighs. Of these only the weight is asserted, since the machine that runs the tests may be busy.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { weigh } from '../build.mjs';
import { open, picture, start, type } from './browser.mjs';

let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/* Types and takes away a character at the end `rounds` times: ms until the values, until the
 * picture. */
async function measure(page, rounds) {
  await page.evaluate(() => {
    const times = (window.times = []);
    let begun;
    const editor = document.querySelector('#editor').shadowRoot;
    editor.addEventListener(
      'keydown',
      () => {
        begun = performance.now();
        times.push({});
      },
      true,
    );
    new MutationObserver(() => {
      const { state } = document.documentElement.dataset;
      if (times.length && state !== 'busy') times.at(-1)[state] ??= performance.now() - begun;
    }).observe(document.documentElement, { attributeFilter: ['data-state'] });
  });
  await page.keyboard.press('Control+End');
  for (let i = 0; i < rounds; i++) {
    await page.keyboard.press(i % 2 ? 'Backspace' : '1');
    await picture(page);
    await page.waitForTimeout(30);
  }
  const times = (await page.evaluate(() => window.times)).slice(-rounds);
  return {
    values: median(times.map((t) => t.values ?? t.shown)), // the picture may be there as soon
    graph: median(times.map((t) => t.shown)),
  };
}

const report = (t, name, { values, graph }, bar) =>
  t.diagnostic(
    `${name}: values after ` +
      `${values.toFixed(1)} ms, graph after ${graph.toFixed(1)} ms (bar ${bar} ms), medians`,
  );

test('layer norm, 38 nodes', async (t) => {
  const page = await open(site);
  await type(
    page,
    readFileSync(new URL('../examples/58-layernorm.uir', import.meta.url), 'utf8') + '\n#',
  );
  report(t, 'layer norm, 38 nodes', await measure(page, 40), 60);
});

test('a 40-node program whose edges cross', async (t) => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32', '%x1 = param 1 dtype=i32'];
  const ops = ['add', 'mul', 'max', 'cmplt'];
  for (let i = 2; i < 39; i++) lines.push(`%x${i} = ${ops[i % 3]} %x${i - 1} %x${i >> 1}`);
  await type(page, `${lines.join('\n')}\n%out = add %x38 1`);
  assert.equal(await page.locator('g.node').count(), 41);
  report(t, '40-node program whose edges cross', await measure(page, 40), 60);
});

test('the doubling graph, folded and open', async (t) => {
  const page = await open(site);
  const lines = ['%x0 = const 1'];
  for (let i = 1; i <= 300; i++) lines.push(`%x${i} = add %x${i - 1} %x${i - 1}`);
  await type(page, `${lines.join('\n')}\n# 2`);
  report(t, '301-node program, its run folded', await measure(page, 30), 250);
  await page.locator('g.node.folded').click();
  await page.waitForFunction(() => document.querySelectorAll('g.node').length === 301);
  await page.locator('.cm-content').click();
  report(t, '301-node program, its run opened', await measure(page, 20), 250);
});

test('the whole page weighs less than 1.2 MB under gzip -9', (t) => {
  const weights = weigh(process.env.WEB);
  const total = Object.values(weights).reduce((a, b) => a + b, 0);
  t.diagnostic(
    `weight under gzip -9: ${total} bytes in all, uop.wasm ${weights['uop.wasm']}, ` +
      `layout ${weights['layout.worker.js']}, page ${weights['page.js']}`,
  );
  assert.ok(total < 1_200_000);
  assert.ok(weights['uop.wasm'] < 150_000);
});
