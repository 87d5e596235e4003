// Graphviz, in a worker: DOT in, SVG out, of graphs that come from the page or straight from the
// library's worker, by a number each. Of those that wait only the newest is laid out. A layout
// cannot be interrupted; the page ends the worker instead (layout.js), and is told what is begun
// for that. The SVG goes out twice: as a file to keep, and lean for the page, without what
// style.css says of every shape and text.
import { instance } from '@viz-js/viz';

const graphviz = instance();
const SAID = / (?:font-family|font-size|text-anchor|stroke|xml:space)="[^"]*"|<!--[^]*?-->\n?/g;

let newest = 0;
let next = null; // { id, dot }

/* Only within tags and between them: in a text the signs < and " are written as entities. */
const lean = (svg) => svg.slice(svg.indexOf('<svg')).replace(SAID, '');

/* From the page, or from the library by the port that the page gives. */
function take({ data }) {
  if (data.port) {
    data.port.onmessage = take;
  } else if (data.id > newest) {
    newest = data.id;
    next = data;
    setTimeout(work); // after all that has come already
  }
}

async function work() {
  await graphviz.catch(() => {}); // that it failed is said below, as the answer
  if (!next) return;
  const { id, dot } = next;
  next = null;
  postMessage({ begun: id });
  try {
    const svg = (await graphviz).renderString(dot, { format: 'svg' });
    postMessage({ id, svg, lean: lean(svg) });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
}

onmessage = take;
