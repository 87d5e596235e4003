// Small helpers to build elements. Text only ever becomes text nodes: no markup is made from
// strings.
export const $ = (id) => document.getElementById(id);

/* el('button', { class: 'x', onclick: f }, 'text', child): an element; on… are listeners. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/* Text with `code` in it, as nodes. */
export const prose = (text) =>
  text.split('`').map((piece, i) => (i % 2 ? el('code', {}, piece) : piece));

/* Paragraphs, which empty lines part. */
export const paragraphs = (text) =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((p) => el('p', {}, prose(p.replace(/\n/g, ' '))));

export const plural = (n, one, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export const shorten = (text, length) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
