/* goldens.mjs - runs the golden files of tests/ through the command as WebAssembly, in this one
 * process: goldens.mjs UOPC.WASM DIR
 *
 * The format is tests/golden.c's, read a second time: what a transcript's commands print, to the
 * byte, is put together anew and compared with the file. Texts are held as latin1, a character a
 * byte. A golden in `leftOut` fails when it would pass.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WASI } from 'node:wasi';

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

/* Standard input, output and error in memory, in front of WASI's own functions: quicker than files,
 * and no terminal, whatever this process has. */
function standardFiles(input, memory, own) {
  const REGULAR_FILE = 4;
  const printed = [null, [], []];
  let at = 0;
  const view = () => new DataView(memory().buffer);
  const parts = (list, n) => Array.from({ length: n }, (_, i) => {
    const [from, length] = [view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true)];
    return new Uint8Array(memory().buffer, from, length);
  });
  const count = (to, n) => (view().setUint32(to, n, true), 0);
  const zeros = (to, n) => new Uint8Array(memory().buffer, to, n).fill(0);
  const standard = {
    fd_read(fd, list, n, to) {
      const begin = at;
      for (const part of parts(list, n)) at += input.copy(part, 0, at);
      return count(to, at - begin);
    },
    fd_write(fd, list, n, to) {
      const copies = parts(list, n).map((part) => Buffer.from(part));
      printed[fd].push(...copies);
      return count(to, copies.reduce((sum, copy) => sum + copy.length, 0));
    },
    fd_close: () => 0,
    fd_fdstat_get(fd, to) {
      zeros(to, 24)[0] = REGULAR_FILE;
      return 0;
    },
    fd_filestat_get(fd, to) {
      zeros(to, 64)[16] = REGULAR_FILE;
      view().setBigUint64(to + 32, BigInt(input.length), true);
      return 0;
    },
  };
  const functions = { ...own };
  for (const name of Object.keys(standard))
    functions[name] = (fd, ...args) => (fd <= 2 ? standard[name] : own[name])(fd, ...args);
  return { functions, printed: (fd) => Buffer.concat(printed[fd]).toString('latin1') };
}

/* The folders that goldens name, which WASI has to be given by the names that are used. */
function run(path, args) {
  const preopens = { '.': dirname(path), '../../npy': join(folder, '../npy'), '/dev': '/dev' };
  const wasi = new WASI({ version: 'preview1', args: ['uopc', ...args], preopens, returnOnExit: true });
  const own = wasi.getImportObject().wasi_snapshot_preview1;
  let instance;
  const files = standardFiles(readFileSync(path), () => instance.exports.memory, own);
  instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: files.functions });
  const status = wasi.start(instance);
  return { status, out: files.printed(1), err: files.printed(2) };
}

/* ---- the transcript ---- */

function behindSigns(text) {
  const lines = text.split('\n');
  const last = lines.pop();
  const put = (line) => (line ? `# ${line}\n` : '#\n');
  return lines.map(put).join('') + (last ? `${put(last)}#> without a last newline\n` : '');
}

function record(path, line) {
  const { status, out, err } = run(path, split(line.slice(2), basename(path)));
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
    got = want.split('\n').filter((line) => line.startsWith('#!')).map((line) => record(path, line)).join('');
  } catch (error) {
    return String(error);
  }
  return got === want ? '' : `not what is expected; it is\n${got}`;
}

/* ---- all files ---- */

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.uir')).sort();
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
