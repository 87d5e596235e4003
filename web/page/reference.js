// The ops' documentation, from the library: for completion, for the word under the pointer, and for
// the details of a node. Asked for once; again, where the library did not answer.
import { el } from './dom.js';

const completion = (op, label) => ({
  label,
  type: 'function',
  detail: op.signature.replace(/^\S+\s*/, ''),
  info: () => el('div', {}, op.doc),
});

export class Reference {
  constructor(library) {
    this.library = library;
    this.ops = new Map(); // spelling in small letters → the op
    this.completions = [];
  }

  op(word) {
    return this.ops.get(word.toLowerCase()) ?? null;
  }

  async learn() {
    if (this.ops.size) return;
    const { ops } = await this.library.call('reference').catch(() => ({ ops: [] }));
    for (const op of ops)
      for (const name of [op.name, ...op.spellings]) this.ops.set(name.toLowerCase(), op);
    this.completions = [...this.ops].map(([name, op]) => completion(op, name));
  }
}
