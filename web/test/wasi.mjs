/* wasi.mjs - the command, build/wasm/uopc.wasm, as a function: arguments and standard input in, what
 * it printed and its status out. Texts are latin1, a character a byte.
 *
 * As much of WASI (preview 1) as the command asks for, written here since Node's own, which is
 * experimental, can crash when hundreds of commands run in one process, and keeps their files open.
 * Nothing is fenced off: this is for tests alone. Standard input, output and error are in memory.
 */
import fs from 'node:fs';
import { resolve } from 'node:path';

const errnos = {
  EACCES: 2,
  EBADF: 8,
  EEXIST: 20,
  EISDIR: 31,
  ELOOP: 32,
  ENOENT: 44,
  ENOTDIR: 54,
  EROFS: 69,
};
const [BADF, IO, SPIPE] = [8, 29, 70];
const [DEVICE, FOLDER, FILE] = [2, 3, 4];
const ALL_RIGHTS = 2n ** 64n - 1n;

class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}

class Wasi {
  printed = { 1: [], 2: [] };
  #at = 0; // of standard input
  #files = new Map(); // descriptors here, which are the system's and then some

  constructor(args, input, folder) {
    this.args = args.map((arg) => Buffer.from(`${arg}\0`));
    this.input = input;
    this.folders = { 3: ['.', folder], 4: ['/dev', '/dev'] };
  }

  get view() {
    return new DataView(this.memory.buffer);
  }
  bytes(at, n) {
    return Buffer.from(this.memory.buffer, at, n);
  }
  put32(at, n) {
    this.view.setUint32(at, n, true);
    return 0;
  }
  put64(at, n) {
    this.view.setBigUint64(at, BigInt(n), true);
    return 0;
  }
  path(fd, at, n) {
    return resolve(this.folders[fd][1], `./${this.bytes(at, n)}`);
  }
  parts(list, n) {
    const word = (i) => this.view.getUint32(list + 4 * i, true);
    return Array.from({ length: n }, (_, i) => this.bytes(word(2 * i), word(2 * i + 1)));
  }
  putStat(to, type, size) {
    this.bytes(to, 64).fill(0);
    this.view.setUint8(to + 16, type);
    return this.put64(to + 32, size);
  }
  statOf(to, stat) {
    return this.putStat(to, stat.isDirectory() ? FOLDER : stat.isFile() ? FILE : DEVICE, stat.size);
  }

  /* What a module imports: functions that turn Node's errors into WASI's. */
  imports() {
    const names = Object.getOwnPropertyNames(Wasi.prototype).filter((name) => name.includes('_'));
    const guarded =
      (name) =>
      (...args) => {
        try {
          return this[name](...args);
        } catch (error) {
          if (!error.code) throw error;
          return errnos[error.code] ?? IO;
        }
      };
    return Object.fromEntries(names.map((name) => [name, guarded(name)]));
  }

  args_sizes_get(count, size) {
    this.put32(count, this.args.length);
    return this.put32(size, Buffer.concat(this.args).length);
  }
  args_get(list, at) {
    this.args.forEach((arg, i) => {
      this.put32(list + 4 * i, at);
      at += arg.copy(this.bytes(at, arg.length));
    });
    return 0;
  }
  environ_sizes_get(count, size) {
    this.put32(count, 0);
    return this.put32(size, 0);
  }
  environ_get() {
    return 0;
  }
  clock_time_get(clock, precision, to) {
    return this.put64(to, Math.round(performance.now() * 1e6));
  }
  proc_exit(status) {
    throw new Exit(status);
  }

  fd_prestat_get(fd, to) {
    if (!this.folders[fd]) return BADF;
    this.put32(to, 0);
    return this.put32(to + 4, this.folders[fd][0].length);
  }
  fd_prestat_dir_name(fd, at, n) {
    this.bytes(at, n).write(this.folders[fd][0]);
    return 0;
  }
  fd_fdstat_get(fd, to) {
    this.bytes(to, 24).fill(0);
    this.view.setUint8(to, this.folders[fd] ? FOLDER : FILE); // standard ones are no terminal
    this.put64(to + 8, ALL_RIGHTS);
    return this.put64(to + 16, ALL_RIGHTS);
  }
  fd_fdstat_set_flags() {
    return 0;
  }
  fd_filestat_get(fd, to) {
    return fd <= 2
      ? this.putStat(to, FILE, this.input.length)
      : this.statOf(to, fs.fstatSync(this.#files.get(fd)));
  }
  path_filestat_get(fd, flags, at, n, to) {
    return this.statOf(to, fs.statSync(this.path(fd, at, n)));
  }
  path_open(fd, lookup, at, n, how, rights, inheriting, flags, to) {
    const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC } = fs.constants;
    const [reads, writes] = [rights & 2n, rights & 64n];
    const mode = (how & 1 && O_CREAT) | (how & 4 && O_EXCL) | (how & 8 && O_TRUNC);
    const file = fs.openSync(
      this.path(fd, at, n),
      mode | (writes ? (reads ? O_RDWR : O_WRONLY) : O_RDONLY),
    );
    this.#files.set(file + 100, file);
    return this.put32(to, file + 100);
  }
  fd_close(fd) {
    if (fd > 2) fs.closeSync(this.#files.get(fd));
    this.#files.delete(fd);
    return 0;
  }
  fd_read(fd, list, n, to) {
    let sum = 0;
    for (const part of this.parts(list, n)) {
      if (fd > 2) sum += fs.readSync(this.#files.get(fd), part);
      else sum += this.input.copy(part, 0, this.#at + sum);
    }
    if (fd <= 2) this.#at += sum;
    return this.put32(to, sum);
  }
  fd_write(fd, list, n, to) {
    const data = Buffer.concat(this.parts(list, n));
    if (fd > 2) fs.writeFileSync(this.#files.get(fd), data);
    else this.printed[fd].push(data);
    return this.put32(to, data.length);
  }
  fd_seek() {
    return SPIPE;
  }
  fd_sync(fd) {
    fs.fsyncSync(this.#files.get(fd));
    return 0;
  }
  path_rename(fd, at, n, toFd, toAt, toN) {
    fs.renameSync(this.path(fd, at, n), this.path(toFd, toAt, toN));
    return 0;
  }
  path_unlink_file(fd, at, n) {
    fs.unlinkSync(this.path(fd, at, n));
    return 0;
  }
}

/* Runs the command in a folder. */
export function runCommand(module, args, input, folder = '.') {
  const wasi = new Wasi(['uopc', ...args], input, folder);
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.imports() });
  wasi.memory = exports.memory;
  let status = 0;
  try {
    exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    ({ status } = error);
  }
  const text = (fd) => Buffer.concat(wasi.printed[fd]).toString('latin1');
  return { status, out: text(1), err: text(2) };
}
