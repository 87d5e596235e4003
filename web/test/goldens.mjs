/* goldens.mjs - runs the golden files of tests/ through the command as WebAssembly, in this one
 * process: goldens.mjs UOPC.WASM DIR
 *
 * The format is tests/golden.c's, read a second time: what a transcript's commands print, to the
 * byte, is put together anew and compared with the file. Texts are held as latin1, a character a
 * byte. A golden in `leftOut` fails when it would pass.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from './wasi.mjs';

/* Goldens that cannot give the same text under WASI, and why. */
const leftOut = {};

const [wasmFile, folder] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasmFile));

/* ---- a command ---- */

/* Words separated by blanks; '...' quotes. */
function split(line, file) {
  const words = [];
  let word = null;
  let quoted = false;
  for (const c of line) {
    if (c === "'") {
      quoted = !quoted;
      word ??= '';
    } else if (c === ' ' && !quoted) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + c;
    }
  }
  if (word !== null) words.push(word);
  return words.map((w) => (w === 'FILE' ? file : Buffer.from(w, 'latin1').toString()));
}

/* ---- the transcript ---- */

function behindSigns(text) {
  const lines = text.split('\n');
  const last = lines.pop();
  const put = (line) => (line ? `# ${line}\n` : '#\n');
  return lines.map(put).join('') + (last ? `${put(last)}#> without a last newline\n` : '');
}

function record(path, line) {
  const { status, out, err } = runCommand(
    module,
    split(line.slice(2), basename(path)),
    readFileSync(path),
    dirname(path),
  );
  let text = `${line}\n`;
  if (out) text += `#> stdout\n${behindSigns(out)}`;
  if (err) text += `#> stderr\n${behindSigns(err)}`;
  if (status || !(out || err)) text += `#> exit ${status}\n`;
  return text;
}

/* What differs, or '' for nothing. */
function golden(path) {
  const text = readFileSync(path, 'latin1');
  const first = text.search(/^#!/m);
  if (first < 0) return 'no command: no line begins with #!';
  const want = text.slice(first);
  let got;
  try {
    got = want
      .split('\n')
      .filter((line) => line.startsWith('#!'))
      .map((line) => record(path, line))
      .join('');
  } catch (error) {
    return String(error);
  }
  return got === want ? '' : `not what is expected; it is\n${got}`;
}

/* ---- all files ---- */

const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.uir'))
  .sort();
let [passed, failed, left] = [0, 0, 0];
for (const name of files) {
  const wrong = golden(join(folder, name));
  const reason = leftOut[name];
  if (reason && wrong) left++;
  else if (!reason && !wrong) passed++;
  else failed++;
  if (reason) console.log(`${name}: ${wrong ? `left out: ${reason}` : 'passes, but is left out'}`);
  else if (wrong) console.log(`${name}: ${wrong}`);
}
for (const name of Object.keys(leftOut)) {
  if (files.includes(name)) continue;
  console.log(`${name}: is left out, but is not there`);
  failed++;
}
console.log(`goldens as WebAssembly: ${left} left out, ${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
