// From Graphviz's SVG to the page's: parsed into a document of its own, where nothing runs or
// loads, and refused where it holds anything but shapes and text. (Parsed as HTML, which takes half
// the time that XML does.) Classes say the kind of each node; style.css has the colours, which go
// before those that Graphviz wrote.
const SVG = 'http://www.w3.org/2000/svg';
const NUMBER = /-?[\d.]+(?:e-?\d+)?/g;
const FOREIGN = ':not(g, title, text, polygon, polyline, ellipse, path)';

/* The fill that the library gives to each kind of op. */
const KINDS = {
  '#f3f4f6': 'const',
  '#dbeafe': 'param',
  '#e0e7ff': 'memory',
  '#fae8ff': 'call',
  '#fee2e2': 'effect',
  '#ffedd5': 'reduce',
  '#dcfce7': 'movement',
  '#fef9c3': 'alu',
};

export const svg = (name, attributes = {}) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/* The corners of a shape, or points around them. */
function cornersOf(shape) {
  const [cx, cy, rx, ry] = ['cx', 'cy', 'rx', 'ry'].map((name) => Number(shape.getAttribute(name)));
  if (rx) return [cx - rx, cy - ry, cx + rx, cy + ry];
  return (shape.getAttribute('points') ?? shape.getAttribute('d')).match(NUMBER).map(Number);
}

/* Marks the kind of a node and its texts. Gives what it covers, as its shapes say: to ask the
 * browser makes it lay out the page. */
function readNode(group) {
  let kind = 'other';
  const corners = [];
  for (const child of group.children) {
    kind = KINDS[child.getAttribute('fill')] ?? kind;
    if (child.localName !== 'text') {
      corners.push(...cornersOf(child));
      continue;
    }
    const { textContent } = child;
    if (textContent.startsWith('%')) child.classList.add('name');
    else if (textContent.startsWith('= ')) child.classList.add('value');
  }
  group.classList.add(`kind-${kind}`);
  const xs = corners.filter((_, i) => i % 2 === 0);
  const ys = corners.filter((_, i) => i % 2 === 1);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

/* { width, height, layer, nodes: Map of box name → element, extents: Map of box name →
 * { x, y, width, height } in the layer, edges: [{ from, to, element }] } */
export function readPicture(text) {
  const parsed = new DOMParser().parseFromString(text, 'text/html');
  const found = parsed.querySelector('svg > g.graph');
  if (!found || found.querySelector(FOREIGN)) throw new Error('The picture could not be read.');
  const [, , width, height] = found.parentNode.getAttribute('viewBox').split(/\s+/).map(Number);
  const layer = document.importNode(found, true);
  const nodes = new Map();
  const extents = new Map();
  const edges = [];
  for (const group of [...layer.children]) {
    const isNode = group.classList.contains('node');
    if (!isNode && !group.classList.contains('edge')) {
      group.remove(); // the title, and the white behind all
      continue;
    }
    const title = group.firstElementChild;
    const name = title.textContent;
    title.remove();
    group.removeAttribute('id');
    if (isNode) {
      extents.set(name, readNode(group));
      nodes.set(name, group);
    } else {
      const [from, to] = name.split('->');
      edges.push({ from, to, element: group });
    }
  }
  layer.removeAttribute('id');
  return { width, height, layer, nodes, extents, edges };
}
