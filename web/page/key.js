// The key below the graph: which colour and shape stand for which kind of op. Only kinds that are
// drawn.
import { el } from './dom.js';
import { svg } from './picture.js';

const KINDS = [
  ['const', 'constant', 'ellipse', { cx: 11, cy: 8, rx: 9, ry: 6 }],
  ['param', 'parameter', 'polygon', { points: '2,2 20,2 20,9 11,14 2,9' }],
  ['memory', 'memory', 'path', { d: 'M3 4a8 2.4 0 0 1 16 0v8a8 2.4 0 0 1 -16 0z' }],
  ['alu', 'arithmetic', 'polygon', { points: '2,3 20,3 20,13 2,13' }],
  ['movement', 'shape', 'polygon', { points: '6,3 21,3 16,13 1,13' }],
  ['reduce', 'reduce, range', 'polygon', { points: '6,3 16,3 21,8 16,13 6,13 1,8' }],
  ['call', 'call', 'polygon', { points: '3,3 20,3 20,13 3,13 3,11 1,11 1,9 3,9 3,7 1,7 1,5 3,5' }],
  ['effect', 'assert, effect', 'polygon', { points: '6,2 16,2 20,5 20,11 16,14 6,14 2,11 2,5' }],
  ['other', 'other', 'polygon', { points: '2,3 20,3 20,13 2,13' }],
];

export function showKey(list, drawn) {
  const has = (kind) => drawn.some((node) => node.classList.contains(`kind-${kind}`));
  list.replaceChildren(
    ...KINDS.filter(([kind]) => has(kind)).map(([kind, word, shape, at]) => {
      const icon = svg('svg', {
        width: 22,
        height: 16,
        class: `kind-${kind}`,
        'aria-hidden': 'true',
      });
      icon.append(svg(shape, at));
      return el('li', {}, icon, word);
    }),
  );
}
