// All browser tests, one file after the other: `node web/test/run.mjs PAGE SCREENSHOTS`, of a page
// that was built. Prints a line a test, what failed in full, the figures that were measured, and
// last "page: N passed, M failed".
import { run } from 'node:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const only = process.argv.slice(4);
process.env.WEB = resolve(process.argv[2] ?? 'build/web');
process.env.SCREENSHOTS = resolve(process.argv[3] ?? 'build/web-screenshots');
mkdirSync(process.env.SCREENSHOTS, { recursive: true });

const files = readdirSync(here)
  .filter((f) => f.endsWith('.test.mjs'))
  .filter((f) => !only.length || only.some((o) => f.startsWith(o)))
  .sort()
  .map((f) => here + f);
let passed = 0;
let failed = 0;
const figures = [];
const isFile = (data) => data.details?.type === 'suite' || files.includes(resolve(data.name));

run({ files, concurrency: 1, timeout: 300000 })
  .on('test:diagnostic', ({ message }) => {
    if (message.includes(': ')) figures.push(message);
  })
  .on('test:pass', (data) => {
    if (isFile(data)) return;
    passed++;
    console.log(`ok    ${data.name} (${Math.round(data.details.duration_ms)} ms)`);
  })
  .on('test:fail', (data) => {
    const error = data.details.error;
    if (isFile(data) && error?.failureType === 'subtestsFailed') return;
    failed++;
    console.log(`FAIL  ${data.name}\n${error?.cause?.stack ?? error?.stack ?? error}`);
  })
  .on('end', () => {
    for (const line of figures) console.log(`      ${line}`);
    console.log(`page: ${passed} passed, ${failed} failed`);
    process.exitCode = failed || !passed ? 1 : 0;
  })
  .resume();
