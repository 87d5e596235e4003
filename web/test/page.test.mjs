// What a reader of the lesson does: types programs, looks at the graph, the figures, the values and
// the messages, and the two light each other.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { figures, open, picture, start, type } from './browser.mjs';

const LESSON = '%a = add 2 3\n%b = add 2 3\n%c = mul %a %b\n';
let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

/* A test with a page of its own, on which nothing may have gone wrong at the end. */
const onPage = (name, body, options) =>
  test(name, async (t) => {
    const page = await open(site, options);
    try {
      await body(page, t);
      assert.deepEqual(page.faults, []);
      assert.deepEqual(await page.context().cookies(), []);
    } finally {
      await page.context().close();
    }
  });

const texts = (page, selector) => page.locator(selector).allTextContents();
const problems = (page) => texts(page, '#problem-list button');
const node = (page, label) => page.locator(`g.node[aria-label^="${label}"]`);

/* Opens the simplifier's steps, before the first. */
async function stepThrough(page) {
  await page.click('#tab-simplify');
  await page.click('#simplify');
  await page.waitForSelector('.stepper');
}

onPage("the lesson's program has 4 nodes, and %e = add 2 3 leaves 4", async (page) => {
  await type(page, LESSON);
  assert.deepEqual(await figures(page), { nodes: '4', 'as a tree': '7', depth: '2', ops: '2' });
  assert.equal(await page.locator('g.node').count(), 4);
  assert.equal(await node(page, '%a, %b add').count(), 1);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('%e = add 2 3');
  await picture(page);
  assert.equal((await figures(page)).nodes, '4');
  assert.equal(await page.locator('g.node').count(), 4);
  assert.equal(await node(page, '%a, %b, %e add').count(), 1);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 5', '= 5', '= 25', '= 5']);
});

onPage('add 2 3 and add 3 2 are two nodes', async (page) => {
  await type(page, '%a = add 2 3\n%b = add 3 2\n');
  assert.equal((await figures(page)).nodes, '4');
});

onPage('a typo is underlined where it is, marked, and said', async (page) => {
  await type(page, '%a = add 2 3\n%b = mull %a 4\n');
  assert.deepEqual(await texts(page, '.cm-lintRange-error'), ['mull']);
  assert.deepEqual(await problems(page), ['● error, line 2: unknown op mull']);
  assert.equal(await page.locator('.cm-mark-error').count(), 1);
  await page.locator('.cm-lintRange-error').hover();
  await page.locator('.cm-tooltip-lint').waitFor();
  assert.match(await page.locator('.cm-tooltip-lint').textContent(), /unknown op mull/);
  await page.locator('#problem-list button').click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'editor');
  await page.keyboard.type('mul');
  await picture(page);
  assert.deepEqual(await problems(page), []);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 5', '= 20']);
});

onPage('shapes that do not fit are underlined at the operand, in UTF-16', async (page) => {
  await type(page, '# 𝕏 é\n%v = add (stack 1 2) (stack 1 2 3) # 𝕏\n');
  assert.deepEqual(await problems(page), ["● error, line 2: can't broadcast (2,) with (3,)"]);
  assert.equal((await texts(page, '.cm-lintRange-error')).join(''), '(stack 1 2 3)');
});

onPage(
  'the doubling graph of 300 levels has 301 nodes; its run is folded, and opens',
  async (page) => {
    await page.selectOption('#examples', '18-doubling300.uir');
    await picture(page);
    const said = await figures(page);
    assert.equal(said.nodes, '301');
    assert.equal(said['as a tree'], 'about 4.07 × 1090'); // 90 is raised:
    assert.equal(await page.locator('#figures sup').textContent(), '90');
    assert.equal(said.depth, '300');
    assert.equal(await page.locator('g.node').count(), 2);
    const folded = page.locator('g.node.folded');
    assert.match(
      await folded.getAttribute('aria-label'),
      /^%x300 add i32 \(\).*%x1 to %x300, 300 nodes folded/,
    );
    await folded.click();
    await page.waitForFunction(() => document.querySelectorAll('g.node').length === 301);
    await page.locator('#fold').click();
    await page.waitForFunction(() => document.querySelectorAll('g.node').length === 2);
  },
);

onPage('values are live, and come from the inputs', async (page) => {
  await type(page, '%x = param 0 dtype=i32\n%y = mul %x %x\n');
  await page.fill('#input-param-0', '16');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 16', '= 256']);
  assert.match(await node(page, '%y').getAttribute('aria-label'), /= 256/);
  await page.fill('#input-param-0', 'sixteen');
  await page.waitForSelector('#input-param-0-error:not([hidden])');
  assert.equal(await page.getAttribute('#input-param-0', 'aria-invalid'), 'true');
  await page.fill('#input-param-0', '');
  await picture(page);
  assert.match(await page.getAttribute('#input-param-0', 'placeholder'), /^made up: -?\d+$/);
  await page.uncheck('#fill');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), []);
  assert.equal((await problems(page)).length, 1);
});

onPage('arrays are inputs too', async (page) => {
  await type(page, '%v = param 0 dtype=f32 shape=(3,)\n%s = reduce %v : op=add pop=1\n');
  await page.fill('#input-param-0', '[1, 2, 6]');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= [1.0, 2.0, 6.0]', '= 9.0']);
});

onPage('a buffer is an input', async (page) => {
  await type(page, '%b = buffer 3 : dtype=i32\n%s = reduce %b\n');
  await page.fill('#input-buffer-0', '[20, 20, 2]');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= [20, 20, 2]', '= 42']);
});

onPage('an example without inputs has no fields of the one before', async (page) => {
  await page.selectOption('#examples', '58-layernorm.uir');
  await picture(page);
  assert.equal(await page.locator('#inputs .row').count(), 3);
  await page.selectOption('#examples', '18-doubling300.uir');
  await picture(page);
  assert.equal(await page.locator('#inputs .row').count(), 0);
  assert.ok(await page.getByText('The program has no params and no buffers.').isVisible());
});

onPage('asserts are marked by their lines, by more than colour', async (page) => {
  await type(page, '%a = add 2 3\nassert %a 5\nassert %a 6\n');
  const marks = page.locator('.cm-marks .cm-gutterElement:visible .cm-mark');
  assert.deepEqual(await marks.allTextContents(), ['✓', '✗']);
  const verdict = await page.locator('#verdict').textContent();
  assert.equal(verdict, '✗ 1 assert fails · ✓ 1 assert holds');
  assert.deepEqual(await problems(page), ['✗ error, line 3: ASSERT: 5 != 6']);
});

onPage('a node lights its lines, and a line its nodes', async (page) => {
  await type(page, LESSON);
  await node(page, '%a, %b').hover();
  assert.deepEqual(await texts(page, '.cm-lit'), ['%a = add 2 3= 5', '%b = add 2 3= 5']);
  await page.locator('.cm-line').nth(2).hover();
  await page.waitForFunction(() => document.querySelectorAll('g.node.lit').length === 1);
  assert.match(await page.locator('g.node.lit').getAttribute('aria-label'), /^%c mul/);
});

onPage('the details of a node', async (page) => {
  await type(page, '%p = param 0 dtype=i32\n%m = max %p 0\n%q = mod %m 8\n');
  await node(page, '%q').click();
  await page.waitForSelector('.facts');
  const facts = await page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('.facts div')].map((d) => [
        d.querySelector('dt').textContent,
        d.querySelector('dd').textContent,
      ]),
    ),
  );
  assert.equal(await page.locator('#details h3 code').textContent(), 'floormod');
  assert.deepEqual(
    [facts.name, facts.line, facts.dtype, facts.shape, facts.bounds, facts.work],
    ['%q', '3', 'i32', '()', '0 to 7', '17'],
  );
});

onPage('pan, zoom and fit', async (page) => {
  const at = () =>
    page.evaluate(() => document.querySelector('#graph svg > g').getAttribute('transform'));
  const scale = async () => Number(/scale\(([\d.]+)/.exec(await at())[1]);
  const fit = await at();
  const box = await page.locator('#graph').boundingBox();
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 70, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await at(), fit);
  const before = await scale();
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(
    (k) =>
      Number(
        /scale\(([\d.]+)/.exec(
          document.querySelector('#graph svg > g').getAttribute('transform'),
        )[1],
      ) >
      k * 1.3,
    before,
  );
  await page.click('#fit');
  assert.equal(await at(), fit);
  await page.click('#zoom-out');
  assert.ok((await scale()) < before);
});

/* Fingers put down, moved and lifted; each as [x, y] in the graph. */
async function fingers(page, ...frames) {
  const { x, y } = await page.locator('#graph').boundingBox();
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([px, py], id) => ({ x: x + px, y: y + py, id })),
    });
  await touch('touchStart', frames[0]);
  for (const points of frames.slice(1)) await touch('touchMove', points);
  await touch('touchEnd', []);
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

onPage(
  'fingers pan, pinch and select',
  async (page) => {
    await type(page, LESSON);
    const at = async () =>
      (
        await page.evaluate(() => document.querySelector('#graph svg > g').getAttribute('transform'))
      )
        .match(/-?[\d.]+/g)
        .map(Number);
    const near = (a, b) => assert.ok(Math.abs(a - b) < 0.01, `${a} is not ${b}`);
    const [x, y, k] = await at();
    await fingers(page, [[20, 20]], [[30, 20]], [[60, 50]]);
    near((await at())[0], x + 40);
    near((await at())[1], y + 30);
    near((await at())[2], k);
    await page.click('#fit');
    await fingers(
      page,
      [
        [100, 100],
        [200, 100],
      ],
      [
        [100, 100],
        [300, 100],
      ],
    );
    near((await at())[2], 2 * k); // twice as far apart; what lay under the first finger stays
    near((await at())[0], 100 - 2 * (100 - x));
    near((await at())[1], 100 - 2 * (100 - y));
    await page.click('#fit');
    await node(page, '%c mul').tap();
    await page.waitForSelector('.facts');
    assert.equal(await page.locator('#details h3 code').textContent(), 'mul');
  },
  { hasTouch: true },
);

onPage('simplify steps forward and back, and its result can be used', async (page) => {
  await page.selectOption('#examples', '31-index.uir');
  await picture(page);
  await page.fill('#input-param-0', '100');
  await picture(page);
  await stepThrough(page);
  await picture(page);
  const before = await page.locator('g.node').count();
  const rules = [];
  const steps = Number(await page.getAttribute('.stepper input', 'max'));
  assert.equal(steps, 3);
  for (let k = 1; k <= steps; k++) {
    await page.getByRole('button', { name: 'Step forward' }).click();
    await picture(page);
    assert.equal(await page.locator('.where').textContent(), `Step ${k} of ${steps}`);
    rules.push(await page.locator('.step h3').textContent());
    assert.ok((await page.locator('.step p').first().textContent()).length > 0);
    assert.ok((await page.locator('g.node.changed').count()) >= 1);
  }
  assert.equal(await page.locator('g.node').count(), 5);
  assert.deepEqual(rules, ['gather', 'lt_apart', 'where_true']);
  assert.equal(
    await page.locator('pre.program').textContent(),
    '%0 = param : slot=0 dtype=i32\n%1 = max %0, 0\n%2 = floormod %1, 64\n',
  );
  await page.getByRole('button', { name: 'First step' }).click();
  await picture(page);
  assert.equal(await page.locator('g.node').count(), before);
  await page.getByRole('button', { name: 'Use the result' }).click();
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 100', '= 100', '= 36']);
  assert.equal((await figures(page)).nodes, '5');
});

onPage('in a step, a line and what has become of it light each other', async (page) => {
  await type(page, '%p = param 0 dtype=i32\n%a = add 0 %p\n%b = mul %a 3\n');
  await page.fill('#input-param-0', '5');
  await picture(page);
  await stepThrough(page);
  await page.getByRole('button', { name: 'Last step' }).click();
  await picture(page);
  assert.equal(await page.locator('g.node').count(), 3); // %a has become %p
  await node(page, '%p, %a').hover();
  assert.deepEqual(await texts(page, '.cm-lit'), ['%p = param 0 dtype=i32= 5', '%a = add 0 %p= 5']);
  await page.locator('.cm-line').nth(2).hover();
  await page.waitForFunction(
    () => document.querySelector('g.node.lit')?.getAttribute('aria-label').startsWith('%b mul'),
  );
  assert.equal(await page.locator('g.node.lit').count(), 1);
  await node(page, '%b mul').click();
  await page.waitForSelector('.facts');
  assert.equal(await page.locator('#details h3 code').textContent(), 'mul');
});

onPage('in a step, a run is opened by a click, and folded again', async (page) => {
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i <= 300; i++) lines.push(`%x${i} = add %x${i - 1} %x${i - 1}`);
  await type(page, `${lines.join('\n')}\n%y = add %x300 0`);
  await stepThrough(page);
  await picture(page);
  const boxes = await page.locator('g.node').count();
  await page.locator('g.node.folded').first().click();
  await picture(page);
  assert.ok((await page.locator('g.node').count()) > boxes + 10);
  assert.equal(await page.locator('#stage').textContent(), 'Before the first step');
  await page.click('#fold');
  await picture(page);
  assert.equal(await page.locator('g.node').count(), boxes);
});

onPage('an error typed in a step: the picture is said to be of the step', async (page) => {
  await type(page, '%p = param 0 dtype=i32\n%a = add 0 %p\n');
  const notice = page.locator('#notice');
  await stepThrough(page);
  await page.getByRole('button', { name: 'Last step' }).click();
  await picture(page);
  await page.locator('.cm-content').click();
  await page.keyboard.insertText('x');
  await picture(page);
  assert.equal(await notice.textContent(), 'The picture is of a step of the simplifier.');
  await page.keyboard.press('Backspace');
  await picture(page);
  await page.keyboard.insertText('x');
  await picture(page);
  assert.equal(await notice.textContent(), 'The picture is of the last program without errors.');
});

onPage('steps are those of what was typed last, however soon', async (page) => {
  await type(page, '%p = param 0 dtype=i32\n%a = add 0 %p\n%b = mul %a 3\n');
  /* Inputs typed and Simplify pressed in one go, while the library is at the first of them. */
  const atOnce = (...what) =>
    page.evaluate((list) => {
      for (const text of list) {
        if (text === null) document.querySelector('#simplify').click();
        const field = document.querySelector('#input-param-0');
        if (text !== null) Object.assign(field, { value: text }).dispatchEvent(new Event('input'));
      }
    }, what);
  const steps = async () => {
    await page.getByRole('button', { name: 'Last step' }).click();
    await picture(page);
    assert.equal(await page.locator('#stage').textContent(), 'After step 2 of 2');
  };
  await page.click('#tab-simplify');
  await atOnce('1', '2', null);
  await steps();
  await page.getByRole('button', { name: 'Back to the program' }).click();
  await picture(page);
  await atOnce(null, '3');
  await picture(page);
  assert.equal(await page.locator('.stepper').count(), 0);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 3', '= 3', '= 9']);
  await page.click('#simplify');
  await steps();
});

onPage('a run that is opened while the first step is on its way', async (page) => {
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 1; i <= 300; i++) lines.push(`%x${i} = add %x${i - 1} %x${i - 1}`);
  await type(page, `${lines.join('\n')}\n%y = add %x300 0`);
  await page.click('#tab-simplify');
  const boxes = await page.evaluate(
    () =>
      new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector('.stepper')) return;
          observer.disconnect();
          const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true });
          document.querySelector('g.node.folded').dispatchEvent(enter);
          new MutationObserver(() => {
            if (document.documentElement.dataset.state === 'shown')
              resolve(document.querySelectorAll('g.node').length);
          }).observe(document.documentElement, { attributeFilter: ['data-state'] });
        }).observe(document.querySelector('#simplify-panel'), { childList: true });
        document.querySelector('#simplify').click();
      }),
  );
  assert.equal(boxes, 303); // the first picture that is said to be shown is the newest
  assert.equal(await page.locator('#stage').textContent(), 'Before the first step');
  await page.getByRole('button', { name: 'Step forward' }).click();
  await picture(page);
  assert.match(await page.locator('#stage').textContent(), /^After step 1 of /);
});

onPage('the same program chosen again while stepping is the program again', async (page) => {
  await page.selectOption('#examples', '31-index.uir');
  await picture(page);
  const given = await page.locator('g.node').count();
  await stepThrough(page);
  await page.getByRole('button', { name: 'Last step' }).click();
  await picture(page);
  assert.equal(await page.locator('g.node').count(), 5);
  await page.selectOption('#examples', '31-index.uir');
  await picture(page);
  assert.equal(await page.locator('g.node').count(), given);
  assert.equal(await page.locator('#stage').isVisible(), false);
  assert.equal(await page.locator('.stepper').count(), 0);
});

onPage('a slider that is dragged shows where it stops', async (page) => {
  const lines = ['%x0 = param 0 dtype=i32'];
  for (let i = 0; i < 200; i++)
    lines.push(`%x${i + 1} = where (lt (param ${i + 1} dtype=i32) 3) (add (mul %x${i} 1) ${i}) %x${i}`);
  await type(page, lines.join('\n'));
  await stepThrough(page);
  const last = await page.evaluate(() => {
    const slider = document.querySelector('.stepper input');
    const most = Number(slider.max);
    for (let k = 0; k <= most; k++) {
      slider.value = String(k);
      slider.dispatchEvent(new Event('input'));
    }
    return most;
  });
  assert.ok(last >= 100, `${last} steps`);
  await page.waitForFunction(
    (k) => document.querySelector('#stage').textContent === `After step ${k} of ${k}`,
    last,
    { timeout: 10000 },
  );
});

onPage('every example is read without an error, and drawn', async (page) => {
  const files = await page
    .locator('#examples option')
    .evaluateAll((all) => all.map((o) => o.value));
  assert.ok(files.length > 15);
  for (const file of files.filter(Boolean)) {
    await page.selectOption('#examples', file);
    await picture(page);
    assert.equal(await page.locator('#problem-list .error').count(), 0, file);
    assert.ok((await page.locator('g.node').count()) > 0, file);
    assert.equal(await page.locator('.cm-mark-fail').count(), 0, file);
  }
});

onPage('completion of ops and names, documentation, the comment toggle', async (page) => {
  await type(page, '%first = add 2 3\n');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('%n = flo', { delay: 20 });
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  assert.ok((await texts(page, '.cm-completionLabel')).includes('floordiv'));
  await page.keyboard.press('Escape');
  await page.keyboard.type('ordiv %f', { delay: 20 });
  await page.locator('.cm-tooltip-autocomplete').waitFor();
  assert.deepEqual(await texts(page, '.cm-completionLabel'), ['%first']);
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
  await page.keyboard.type(' 2');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 5', '= 2']);
  await page.keyboard.press('Control+/');
  await picture(page);
  assert.equal(await page.locator('.cm-line').nth(1).textContent(), '# %n = floordiv %first 2');
  await page.locator('.cm-line').first().getByText('add').hover();
  await page.locator('.cm-tooltip .card').waitFor();
  assert.match(await page.locator('.card').textContent(), /add a b.*wraps/);
});

onPage('both spellings are coloured alike', async (page) => {
  await type(
    page,
    '%p = param : slot=0 dtype=i32\n%q = PARAM 0 dtype=i32\n%a = add %p, (mul %q 2)\n',
  );
  const color = (text) =>
    page
      .locator('.cm-content')
      .getByText(text, { exact: true })
      .first()
      .evaluate((e) => getComputedStyle(e).color);
  assert.equal(await color('param'), await color('PARAM'));
  assert.equal(await color('param'), await color('mul'));
  assert.notEqual(await color('param'), await color('dtype'));
  assert.equal((await figures(page)).nodes, '4');
});

onPage('undo brings back what an example replaced', async (page) => {
  await type(page, '%mine = add 40 2\n');
  await page.selectOption('#examples', '20-x8.uir');
  await picture(page);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Z');
  await picture(page);
  assert.deepEqual(await texts(page, '.cm-value'), ['= 42']);
});

/* Asks the library's worker behind the page's back: it drops its program, and says what is left. */
async function bytesInUse(page) {
  const worker = page.workers().find((w) => w.url().includes('library.worker.js'));
  return worker.evaluate(
    () =>
      new Promise((resolve) => {
        const post = self.postMessage;
        self.postMessage = ({ result }) => {
          self.postMessage = post;
          resolve(result);
        };
        self.onmessage({ data: { id: 0, method: 'bytes', args: {} } });
      }),
  );
}

onPage('every edit gives its memory back', async (page) => {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('%a = param 0 dtype=i32\n%b = add (mul %a 2) 0\n%c = mul %b %nothing', {
    delay: 5,
  });
  await picture(page);
  await type(page, LESSON);
  await node(page, '%c mul').click();
  await page.selectOption('#examples', '31-index.uir');
  await picture(page);
  await stepThrough(page);
  await page.getByRole('button', { name: 'Last step' }).click();
  await picture(page);
  await page.getByRole('button', { name: 'Use the result' }).click();
  await picture(page);
  assert.equal(await bytesInUse(page), 0);
});

onPage('it works offline', async (page) => {
  await page.context().setOffline(true);
  await type(page, '%a = add 20 22\n');
  assert.deepEqual(await texts(page, '.cm-value'), ['= 42']);
  assert.equal(await page.locator('g.node').count(), 3);
});
