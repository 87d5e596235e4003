// How numbers, types and nodes are said, in the figures, in labels and in the details of a node.
import { el } from './dom.js';

/* "about 4.07e90" as about 4.07 × 10 with 90 raised; other figures as they are. */
export function figure(text) {
  const power = /^(about )?([\d.]+)e\+?(\d+)$/.exec(text);
  if (!power) return [/^\d+$/.test(text) ? grouped(text) : text];
  return [`${power[1] ?? ''}${power[2]} × 10`, el('sup', {}, power[3])];
}

/* A whole number of any length, with commas. */
export const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

export const shapeText = (shape) =>
  shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;

export const typeText = ({ dtype, shape }) =>
  dtype === 'void' ? 'void' : `${dtype} ${shapeText(shape)}`;

/* "5 : i32 ()" without its type: the value alone, in one line. */
export const bare = (text) =>
  text
    .replace(/ : \w+ \([\d, ]*\)$/, '')
    .replace(/\s+/g, ' ')
    .replace(/\[ /g, '[');

export const namesText = (names) => names.map((n) => `%${n}`).join(', ');

/* [1, 2, 3, 7] as "1–3, 7". */
export function linesText(lines) {
  const runs = [];
  for (const n of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(', ');
}

/* What a screen reader says of a node: what its box shows, and what it does not. */
export const nodeLabel = (node, shown) =>
  [
    shown,
    node.op === 'const' ? 'const' : null,
    node.lines.length ? `line ${linesText(node.lines)}` : null,
  ]
    .filter(Boolean)
    .join(', ');
