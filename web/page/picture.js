// From Graphviz's SVG to the page's: parsed as XML, taken apart, and only shapes and text kept, with
// classes in the place of colours. What it holds of the program is text, and stays text.
const SVG = 'http://www.w3.org/2000/svg';

/* The fill that the library gives to each kind of op; style.css colours the classes. */
const KINDS = {
  '#f3f4f6': 'const', '#dbeafe': 'param', '#e0e7ff': 'memory', '#fae8ff': 'call', '#fee2e2': 'effect',
  '#ffedd5': 'reduce', '#dcfce7': 'movement', '#fef9c3': 'alu', '#ffffff': 'other', white: 'other',
};
const KEPT = {
  g: [], polygon: ['points'], polyline: ['points'], ellipse: ['cx', 'cy', 'rx', 'ry'], path: ['d'],
  text: ['x', 'y', 'text-anchor', 'font-size'],
};

export const svg = (name, attributes = {}) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

function copy(from) {
  const allowed = KEPT[from.localName];
  if (!allowed) return null;
  const to = svg(from.localName);
  for (const key of allowed) if (from.hasAttribute(key)) to.setAttribute(key, from.getAttribute(key));
  const fill = from.getAttribute('fill');
  if (from.localName === 'text') {
    to.textContent = from.textContent;
    if (from.textContent.startsWith('%')) to.classList.add('name');
    if (from.textContent.startsWith('= ')) to.classList.add('value');
  } else if (fill && fill !== 'none' && fill !== 'transparent') to.classList.add('filled');
  else if (from.localName !== 'g') to.classList.add('open');
  return to;
}

/* { width, height, layer, nodes: Map of box name → element, edges: [{ from, to, element }] } */
export function readPicture(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  const graph = parsed.querySelector('g.graph');
  if (!graph) throw new Error('The picture could not be read.');
  const [, , width, height] = parsed.documentElement.getAttribute('viewBox').split(/\s+/).map(Number);
  const shift = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(graph.getAttribute('transform') ?? '');
  const layer = svg('g', { transform: `translate(${shift?.[1] ?? 0} ${shift?.[2] ?? 0})` });
  const nodes = new Map();
  const edges = [];
  for (const group of graph.children) {
    const kind = group.getAttribute('class');
    if (kind !== 'node' && kind !== 'edge') continue;
    const title = group.querySelector('title').textContent;
    const element = svg('g', { class: kind });
    for (const child of group.children) {
      const kept = copy(child);
      if (kept) element.append(kept, ' ');
    }
    if (kind === 'node') {
      const filled = group.querySelector('[fill^="#"], [fill="white"]');
      element.classList.add(`kind-${KINDS[filled?.getAttribute('fill')] ?? 'other'}`);
      nodes.set(title, element);
      layer.append(element);
    } else {
      const [from, to] = title.split('->');
      edges.push({ from, to, element });
      layer.prepend(element);
    }
  }
  return { width, height, layer, nodes, edges };
}
