// The examples of the menu: web/examples/NN-name.uir, in the order of their names. The first
// comment of a file is its title; what stands before a colon there is its group. Comments like "#
// param 0 = 3" give it inputs.
import { readFileSync, readdirSync } from 'node:fs';

const folder = new URL('./examples/', import.meta.url);

export function readExamples() {
  return readdirSync(folder)
    .filter((f) => f.endsWith('.uir'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const title = /^# (?:([^:\n]+): )?([^\n]+)/.exec(text);
      if (!title) throw new Error(`${file}: the first line has to be "# Group: title"`);
      const inputs = [...text.matchAll(/^# (param|buffer) (\d+) = (.+)$/gm)].map(
        ([, kind, slot, value]) => ({ kind, slot: Number(slot), text: value }),
      );
      return {
        file,
        group: title[1] ?? 'Examples',
        title: title[2].replace(/\.$/, ''),
        text,
        inputs,
      };
    });
}
