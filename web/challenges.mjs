// The challenges: web/challenges/NN-name.json, in the order of their names; README.md says what a
// file holds. A file that the page could not use is an error here, when the page is built.
import { readFileSync, readdirSync } from 'node:fs';
import { kinds } from './page/checks.js';

const folder = new URL('./challenges/', import.meta.url);
const lines = (text) => (Array.isArray(text) ? text.join('\n') + '\n' : text);

export function readChallenges() {
  return readdirSync(folder)
    .filter((f) => f.endsWith('.json'))
    .sort()
    .map((file) => {
      const c = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
      for (const key of ['title', 'text', 'starter', 'checks', 'solution'])
        if (c[key] === undefined) throw new Error(`${file}: "${key}" is missing`);
      for (const { kind } of c.checks)
        if (!kinds.includes(kind)) throw new Error(`${file}: there is no check "${kind}"`);
      return {
        ...c,
        file,
        text: lines(c.text),
        starter: lines(c.starter),
        solution: lines(c.solution),
      };
    });
}
