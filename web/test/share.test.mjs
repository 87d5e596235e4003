// A program in a link, there and back; links that are broken or too large; files.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { open, picture, start, type } from './browser.mjs';

let site;
before(async () => {
  site = await start(process.env.WEB);
});
after(() => site.stop());

const editorText = (page) =>
  page.evaluate(() =>
    [...document.querySelector('#editor').shadowRoot.querySelectorAll('.cm-line')]
      .map((l) =>
        [...l.childNodes]
          .filter((n) => !n.classList?.contains('cm-value'))
          .map((n) => n.textContent)
          .join(''),
      )
      .join('\n'),
  );
const linkOf = (text) => `#p=${deflateRawSync(JSON.stringify({ text })).toString('base64url')}`;

test('a link carries the program and its inputs', async () => {
  const program = '# ünï 𝕏 <b>&amp;\n%x = param 0 dtype=i32\n%y = mul %x 3';
  const page = await open(site, { permissions: ['clipboard-read', 'clipboard-write'] });
  await type(page, program);
  await page.fill('#input-param-0', '14');
  await picture(page);
  await page.click('#copy-link');
  await page.waitForFunction(
    () => document.querySelector('#status').textContent === 'The link is copied.',
  );
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, page.url());
  const other = await open(site, { hash: new URL(link).hash });
  assert.equal(await editorText(other), program);
  assert.deepEqual(await other.locator('.cm-value').allTextContents(), ['= 14', '= 42']);
  await other.evaluate((hash) => {
    location.hash = hash;
  }, linkOf('%z = add 1 1'));
  await other.waitForFunction(() => document.querySelectorAll('g.node').length === 2);
  assert.equal(await editorText(other), '%z = add 1 1');
  assert.deepEqual([...page.faults, ...other.faults], []);
});

for (const [name, hash] of [
  ['broken', '#p=AAAA'],
  ['not base64', '#p=***'],
  ['empty', '#p='],
  ['of something else', `#p=${deflateRawSync('[1]').toString('base64url')}`],
  ['that unpacks to 64 MB', linkOf('#'.repeat(64 << 20))],
])
  test(`a link ${name} leaves the page as it was`, async () => {
    const page = await open(site, { hash });
    assert.match(await page.locator('#status').textContent(), /no program that could be read/);
    assert.equal(await page.locator('g.node').count(), 4);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

test('files: .uir, .dot, .svg and .png', async () => {
  const page = await open(site, { acceptDownloads: true });
  await type(page, '%a = add 2 3\n');
  const content = async (as) => {
    await page.click('#download summary');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`[data-as=${as}]`),
    ]);
    return readFileSync(await download.path());
  };
  assert.equal(String(await content('uir')), '%a = add 2 3\n');
  assert.match(String(await content('dot')), /^digraph uop \{\n[^]*label="%a\\nadd\\ni32 \(\)/);
  assert.match(String(await content('svg')), /<svg [^]*>%a<\/text>[^]*<\/svg>/);
  const image = await content('png');
  assert.equal(image.subarray(1, 4).toString(), 'PNG');
  assert.ok(image.length > 1000 && image.readUInt32BE(16) > 100);
  assert.deepEqual(page.faults, []);
});
