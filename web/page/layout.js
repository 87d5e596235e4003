// Layouts of graphs, the newest alone: a newer graph waits for one that is nearly done, and ends
// one that has had its GRACE. What is overtaken or cancelled fails with Stale. A layout is { svg,
// lean }, see layout.worker.js.
const GRACE = 250;

export class Stale extends Error {}

export function layouter(url = new URL('./layout.worker.js', import.meta.url)) {
  let worker;
  let busy = null; // { id, since, resolve, reject }
  let waiting = null; // { dot, resolve, reject }
  let count = 0;
  let timer = 0;

  function start() {
    worker = new Worker(url, { type: 'module' });
    worker.onmessage = ({ data }) => {
      if (data.id !== busy?.id) return;
      const job = busy;
      busy = null;
      if (data.error === undefined) job.resolve({ svg: data.svg, lean: data.lean });
      else {
        restart(); // after a failure inside Graphviz its memory is not to be trusted
        job.reject(new Error(`The picture could not be laid out: ${data.error}`));
      }
      advance();
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      const job = busy;
      busy = null;
      restart();
      job?.reject(new Error('The picture could not be laid out.'));
      advance();
    };
  }

  function restart() {
    worker.terminate();
    start();
  }

  function advance() {
    clearTimeout(timer);
    if (!waiting) return;
    if (busy) {
      const left = busy.since + GRACE - performance.now();
      if (left > 0) {
        timer = setTimeout(advance, left);
        return;
      }
      busy.reject(new Stale());
      busy = null;
      restart();
    }
    const { dot, resolve, reject } = waiting;
    waiting = null;
    busy = { id: ++count, since: performance.now(), resolve, reject };
    worker.postMessage({ id: busy.id, dot });
  }

  start();
  return {
    layout(dot) {
      waiting?.reject(new Stale());
      return new Promise((resolve, reject) => {
        waiting = { dot, resolve, reject };
        advance();
      });
    },
    cancel() {
      waiting?.reject(new Stale());
      waiting = null;
      if (!busy) return;
      busy.reject(new Stale());
      busy = null;
      restart();
    },
  };
}
