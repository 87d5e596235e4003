// From Graphviz's SVG to the page's: parsed as XML, never as markup of the page, and refused where
// it holds anything but shapes and text. Classes say the kind of each node; style.css has the
// colours, which go before those that Graphviz wrote.
const SVG = 'http://www.w3.org/2000/svg';
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

function readNode(group) {
  let kind = 'other';
  for (const child of group.children) {
    kind = KINDS[child.getAttribute('fill')] ?? kind;
    if (child.localName !== 'text') continue;
    const { textContent } = child;
    if (textContent.startsWith('%')) child.classList.add('name');
    else if (textContent.startsWith('= ')) child.classList.add('value');
  }
  group.classList.add(`kind-${kind}`);
}

/* { width, height, layer, nodes: Map of box name → element, edges: [{ from, to, element }] } */
export function readPicture(text) {
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  const found = parsed.querySelector('g.graph');
  if (!found || found.querySelector(FOREIGN)) throw new Error('The picture could not be read.');
  const [, , width, height] = parsed.documentElement
    .getAttribute('viewBox')
    .split(/\s+/)
    .map(Number);
  const layer = document.importNode(found, true);
  const nodes = new Map();
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
      readNode(group);
      nodes.set(name, group);
    } else {
      const [from, to] = name.split('->');
      edges.push({ from, to, element: group });
    }
  }
  layer.removeAttribute('id');
  return { width, height, layer, nodes, edges };
}
