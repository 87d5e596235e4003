// A real browser on the built page: starts the server and Chromium, and hands out pages that record
// what must not happen: console errors, breaches of the policy, requests to elsewhere.
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/* A context opens a window, and the first two fill its address bar's list from pages of their own:
 * twice the work of ours. The others are what playwright leaves out that could get in the way; its
 * list does not count beside this one. */
const WITHOUT = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'Translate',
];

export async function start(folder) {
  const { server, address } = await serve(folder);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', `--disable-features=${WITHOUT}`],
  });
  return {
    address,
    browser,
    async stop() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/* A page of its own context, opened and ready. Its `faults` have to stay empty. */
export async function open({ browser, address }, options = {}) {
  const { hash = '', ready = true, ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...contextOptions,
  });
  const page = await context.newPage();
  page.faults = [];
  page.on('console', (m) => {
    if (['error', 'warning'].includes(m.type())) page.faults.push(m.text());
  });
  page.on('pageerror', (e) => page.faults.push(`exception: ${e.stack ?? e}`));
  page.on('request', (r) => {
    const { protocol, origin } = new URL(r.url());
    if (!['blob:', 'data:'].includes(protocol) && `${origin}/` !== address)
      page.faults.push(`request to ${r.url()}`);
  });
  await page.goto(address + hash);
  if (ready) await picture(page);
  return page;
}

/* The picture is that of the newest text: nothing is on its way. */
export async function picture(page, timeout = 20000) {
  await page.waitForFunction(() => document.documentElement.dataset.state === 'shown', null, {
    timeout,
  });
}

/* Replaces the program, as pasting over all of it does. */
export async function type(page, text) {
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
  await picture(page);
}

/* Figures by name. */
export const figures = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('#figures div')].map((d) => [
        d.querySelector('dt').textContent,
        d.querySelector('dd').textContent,
      ]),
    ),
  );
