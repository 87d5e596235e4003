// Builds the page: `node web/build.mjs OUT PACKAGE` writes static files into OUT, with the library
// of the npm package in PACKAGE, and says what they weigh. Everything that the page loads lies in
// OUT, and nothing else but licenses.txt; the examples and the challenges are read from their folders
// here, so that one file more is one entry more.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readExamples } from './examples.mjs';
import { readChallenges } from './challenges.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/* import … from 'data:examples' gives what lies in the folder. */
const data = {
  name: 'data',
  setup(b) {
    b.onResolve({ filter: /^data:/ }, ({ path }) => ({ path, namespace: 'data' }));
    b.onLoad({ filter: /.*/, namespace: 'data' }, ({ path }) => ({
      contents: JSON.stringify(path === 'data:examples' ? readExamples() : readChallenges()),
      loader: 'json',
    }));
  },
};

/* The licences of the packages that the bundles have parts of. */
function licenses(inputs) {
  const packages = new Set();
  for (const path of Object.keys(inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) packages.add(found[1]);
  }
  return [...packages].sort().map((name) => {
    const folder = join(here, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
    return `${name} ${version}: ${license}\n\n${text}\n`;
  });
}

export async function buildPage(out, library) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: here,
    entryPoints: ['page/page.js', 'page/library.worker.js', 'page/layout.worker.js'],
    entryNames: '[name]',
    outdir: out,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    minify: true,
    external: ['node:*'],
    plugins: [data],
    alias: { uopc: join(library, 'index.js') },
    logLevel: 'warning',
  });
  for (const file of ['index.html', 'style.css', 'icon.svg'])
    copyFileSync(join(here, 'page', file), join(out, file));
  copyFileSync(join(library, 'uop.wasm'), join(out, 'uop.wasm'));
  writeFileSync(join(out, 'licenses.txt'), licenses(metafile.inputs).join('\n'));
  return weigh(out);
}

/* Bytes of each file that the page loads, under gzip -9. */
export function weigh(out) {
  const files = readdirSync(out).sort().filter((f) => f !== 'licenses.txt');
  return Object.fromEntries(
    files.map((f) => [f, gzipSync(readFileSync(join(out, f)), { level: 9 }).length]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, library] = process.argv.slice(2).map((path) => resolve(path));
  const weights = await buildPage(out, library);
  const total = Object.values(weights).reduce((a, b) => a + b, 0);
  for (const [file, bytes] of Object.entries(weights)) console.log(`${bytes}`.padStart(9), file);
  console.log(`${total}`.padStart(9), 'in all, under gzip -9');
}
