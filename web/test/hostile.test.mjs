// Large and hostile programs: the page stays alive and says what the library says.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { figures, open, picture, start, type } from './browser.mjs';

let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

/* A library that is ready, and never answers. */
const MUTE = 'postMessage({ ready: true });';

const problems = (page) => page.locator('#problem-list button').allTextContents();
async function alive(page) {
  await type(page, '%a = add 20 22\n');
  assert.deepEqual(await page.locator('.cm-value').allTextContents(), ['= 42']);
  assert.equal(await page.locator('g.node').count(), 3);
  assert.deepEqual(page.faults, []);
  await page.context().close();
}

/* As a paste: the way that a large text comes in. */
async function paste(page, text) {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData('text/plain', pasted);
    document
      .querySelector('#editor')
      .shadowRoot.querySelector('.cm-content')
      .dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      );
  }, text);
  await picture(page, 60000);
}

test('20,000 lines', async (t) => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i < 20000; i++) lines.push(`%x${i} = add %x${i - 1} ${i}`);
  const begun = performance.now();
  await paste(page, lines.join('\n'));
  t.diagnostic(`20,000 lines pasted, seen after: ${Math.round(performance.now() - begun)} ms`);
  assert.equal((await figures(page)).nodes, '39,999');
  assert.equal((await figures(page)).depth, '19,999');
  await page.keyboard.press('Control+End');
  const typed = performance.now();
  await page.keyboard.type('\n%y = add %x5 %x6');
  await picture(page, 60000);
  t.diagnostic(
    `20,000 lines, a line typed below, seen after: ${Math.round(performance.now() - typed)} ms`,
  );
  assert.equal((await figures(page)).nodes, '40,000');
  await alive(page);
});

test('many nodes that do not fold are not laid out before the user asks', async () => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32', '%x1 = param 1 dtype=i32'];
  const ops = ['add', 'mul', 'max'];
  for (let i = 2; i < 900; i++) lines.push(`%x${i} = ${ops[i % 3]} %x${i - 1} %x${i >> 1}`);
  await paste(page, lines.join('\n'));
  assert.match(await page.locator('#notice').textContent(), /too many to draw at once/);
  assert.equal((await figures(page)).nodes, '900');
  await page.getByRole('button', { name: 'Draw it all the same' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.match(await page.locator('#notice').textContent(), /stopped/);
  await alive(page);
});

test('a run of more nodes than are drawn is opened, and folded again', async () => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i <= 500; i++) lines.push(`%x${i} = add %x${i - 1} %x${i - 1}`);
  await paste(page, lines.join('\n'));
  await page.locator('g.node.folded').click();
  await page.getByText('501 boxes: too many to draw at once').waitFor();
  assert.equal(await page.locator('g.node').count(), 0);
  await page.locator('#fold').click();
  await picture(page);
  assert.equal(await page.locator('g.node').count(), 2);
  await alive(page);
});

/* 380 nodes whose layout takes longer than the page waits: each from two that lie far apart. */
function tangle() {
  const lines = [];
  for (let i = 0; i < 20; i++) lines.push(`%y${i} = param ${i} dtype=i32`);
  for (let i = 20; i < 380; i++)
    lines.push(
      `%y${i} = ${['add', 'mul', 'max'][i % 3]} %y${(i * i) % i || i - 1} %y${(i * 31) % i}`,
    );
  return lines.join('\n');
}

/* A page on whose tangle Graphviz is at work, over the picture of `before`. */
async function atWork(before) {
  const page = await open(site);
  await page.clock.install(); // so that a test can put it forward
  await type(page, before);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(tangle());
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  return page;
}

test('while a layout takes long, the picture before is dimmed and stands for nothing', async () => {
  const page = await atWork('%a = add 2 3\n');
  assert.equal(await page.locator('#graph.stale').count(), 1);
  const node = page.locator('g.node').first();
  await node.hover();
  assert.equal(await page.locator('.cm-lit').count(), 0);
  await node.click();
  assert.match(await page.locator('#details').textContent(), /^Select a node/);
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.equal(await page.locator('g.node').count(), 0);
  await type(page, '%a = add 2 4\n');
  assert.equal(await page.locator('#graph.stale').count(), 0);
  await node.click();
  await page.waitForSelector('.facts');
  await alive(page);
});

test('an error typed while a layout takes long: the picture is of an earlier program', async () => {
  const page = await atWork('%a = add 2 3\n');
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('\n%q');
  await picture(page);
  const notice = page.locator('#notice');
  assert.equal(await notice.textContent(), 'The picture is of an earlier program.');
  await type(page, '%a = add 2 4\n');
  await type(page, '%a = ad 2 4\n');
  assert.equal(await notice.textContent(), 'The picture is of the last program without errors.');
  await alive(page);
});

test('Stop, pressed after the text has changed, does not stop what is on its way', async () => {
  const page = await atWork('%a = add 2 3\n');
  const [state, notice] = await page.evaluate(() => {
    document.querySelector('#input-param-0').dispatchEvent(new Event('input'));
    document.querySelector('#notice button').click();
    return [document.documentElement.dataset.state, document.querySelector('#notice').textContent];
  });
  assert.equal(state, 'busy');
  assert.equal(notice, '');
  await page.getByRole('button', { name: 'Stop' }).click(); // the new layout takes as long
  for (let i = 0; i < 3; i++) {
    await page.getByRole('button', { name: 'Draw it all the same' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await picture(page);
  }
  await alive(page);
});

test('a layout that takes too long is stopped', async () => {
  const page = await atWork('%a = add 2 3\n');
  await page.clock.fastForward(20000);
  assert.match(await page.locator('#notice').textContent(), /boxes took too long and was stopped/);
  assert.equal(await page.locator('g.node').count(), 0);
  await alive(page);
});

test('a million parentheses', async () => {
  const page = await open(site);
  await paste(page, `%a = add 1 ${'('.repeat(1e6)}`);
  assert.equal((await problems(page)).length, 1);
  assert.match((await problems(page))[0], /^● error, line 1: /);
  await alive(page);
});

test('an EXPAND of 2^31-1 elements', async () => {
  const page = await open(site);
  await type(
    page,
    '%x = expand (reshape 1.0 (1,)) (2147483647,)\n%y = add %x 1.0\n%z = reduce %y\n',
  );
  assert.ok(
    (await problems(page)).some((p) => p.startsWith('● error, line')),
    await problems(page),
  );
  assert.equal((await page.locator('g.node.kind-movement').count()) >= 1, true);
  await alive(page);
});

test('markup in a program is text', async () => {
  const page = await open(site);
  await type(page, '# <img src=x onerror=alert(1)>\n%a = <img src=x onerror=alert(1)> "&quot;\n');
  assert.equal(await page.locator('#problem-list img, .cm-content img').count(), 0);
  assert.equal((await problems(page)).length, 1);
  await alive(page);
});

test('an overtaken layout is ended', async () => {
  const page = await open(site);
  const lines = ['%x0 = param 0 dtype=i32', '%x1 = param 1 dtype=i32'];
  for (let i = 2; i < 390; i++)
    lines.push(`%x${i} = ${['add', 'mul'][i % 2]} %x${i - 1} %x${i >> 2}`);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(lines.join('\n'));
  await alive(page);
});

/* The layout's worker is replaced by one of other code; then nothing is shown of the program. */
const noLayout = (name, code, said) =>
  test(`where ${name}, the page says so and shows no older picture`, async () => {
    const page = await open(site);
    const script = await (await page.request.get(`${site.address}layout.worker.js`)).text();
    const route = (r) => r.fulfill({ contentType: 'text/javascript', body: code + script });
    await page.context().route('**/layout.worker.js', route);
    const worker = page.workers().find((w) => w.url().includes('layout.worker.js'));
    await worker.evaluate(() => self.postMessage({ id: 0, error: 'ended by the test' }));
    await type(page, '%a = add 20 3\n');
    assert.match(await page.locator('#notice').textContent(), said);
    assert.equal(await page.locator('g.node').count(), 0);
    await page.context().unroute('**/layout.worker.js');
    await type(page, '%a = add 20 4\n'); // to a worker of that code, perhaps
    page.faults.length = 0; // what Graphviz said to the console of its own
    await alive(page);
  });
noLayout('the worker of the layout breaks', 'throw 1;', /could not be laid out: its worker ended/);
noLayout(
  'Graphviz does not start',
  'WebAssembly.instantiate = async () => { throw new Error("no memory"); };',
  /could not be laid out: .*no memory/,
);

test('a picture of more than shapes and texts is refused', async () => {
  const page = await open(site);
  const worker = page.workers().find((w) => w.url().includes('layout.worker.js'));
  await worker.evaluate(() => {
    const post = self.postMessage;
    const script = '<script>document.title = "run"</script></text>';
    self.postMessage = ({ lean, ...message }) =>
      post.call(self, { ...message, lean: lean?.replace('</text>', script) });
  });
  await type(page, '%a = add 20 3\n');
  assert.equal(await page.locator('#notice').textContent(), 'The picture could not be read.');
  assert.equal(await page.locator('g.node, #graph script').count(), 0);
  assert.equal(await page.title(), 'uopc playground');
  assert.deepEqual(page.faults, []);
});

test('a library that does not answer is started again, says so, and then answers', async () => {
  const page = await open(site);
  let asked = 0;
  await page
    .context()
    .route('**/library.worker.js', (route) =>
      asked++ ? route.continue() : route.fulfill({ contentType: 'text/javascript', body: MUTE }),
    );
  await page.clock.install();
  await page.reload();
  await page.waitForTimeout(1000); // until it is asked; later would only take longer
  await page.clock.fastForward(8000);
  await page.getByText('did not answer in 8 seconds').waitFor();
  await alive(page);
  assert.equal(asked, 2); // the new worker's code is asked for after the page says so
});

test('a library that does not answer leaves nothing to stop of what was before', async () => {
  const page = await atWork('%a = add 2 3\n');
  const library = page.workers().find((w) => w.url().includes('library.worker.js'));
  await library.evaluate(() => {
    self.onmessage = () => {};
  });
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('\n# more');
  await page.waitForTimeout(200); // until it is asked
  await page.clock.fastForward(8000);
  await page.getByText('did not answer in 8 seconds').waitFor();
  assert.equal(await page.locator('#notice').isVisible(), false);
  await alive(page);
});
