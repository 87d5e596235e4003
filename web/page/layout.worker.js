// Graphviz, in a worker: DOT in, SVG out. Its layout cannot be interrupted; the page ends the
// worker instead (layout.js). The SVG goes out twice: as a file to keep, and lean for the page,
// without what style.css says of every shape and text.
import { instance } from '@viz-js/viz';

const graphviz = instance();
const SAID = / (?:font-family|font-size|text-anchor|stroke|xml:space)="[^"]*"|<!--[^]*?-->\n?/g;

/* Only within tags and between them: in a text the signs < and " are written as entities. */
const lean = (svg) => svg.slice(svg.indexOf('<svg')).replace(SAID, '');

onmessage = async ({ data: { id, dot } }) => {
  try {
    const svg = (await graphviz).renderString(dot, { format: 'svg' });
    postMessage({ id, svg, lean: lean(svg) });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
