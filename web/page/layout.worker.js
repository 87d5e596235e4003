// Graphviz, in a worker: DOT in, SVG out. Its layout cannot be interrupted; the page ends the worker
// instead (layout.js).
import { instance } from '@viz-js/viz';

const graphviz = instance();

onmessage = async ({ data: { id, dot } }) => {
  try {
    const svg = (await graphviz).renderString(dot, { format: 'svg' });
    postMessage({ id, svg });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
};
