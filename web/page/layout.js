// Layouts of graphs, the newest alone. Most graphs go to the layout's worker straight from the
// library's, which is sooner than by way of the page: the page gives each a number (`number`), and
// asks for its picture by that number once it knows the graph. Numbers only grow, and the worker
// skips what a newer overtakes. A layout that is no longer wanted has GRACE to end by itself; then
// its worker is ended. What is overtaken or cancelled fails with Stale. A layout is { svg, lean },
// see layout.worker.js.
const GRACE = 250;

export class Stale extends Error {}

/* renewed: called when there is a new worker, which has to be joined to the library's. */
export function layouter(renewed, url = new URL('./layout.worker.js', import.meta.url)) {
  let worker;
  let count = 0; // the newest number
  let lost = 0; // what was sent by this number or an older one went to a worker that is ended
  let wanted = null; // { id, dot, resolve, reject }
  let begun = null; // { id, since } of what the worker is at
  let arrived = null; // an answer that came before it was asked for
  let broken = false;
  let timer = 0;

  function start() {
    worker = new Worker(url, { type: 'module' });
    worker.onmessage = ({ data }) => {
      begun = data.begun ? { id: data.begun, since: performance.now() } : null;
      if (!begun) answer(data);
      hurry();
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      broken = true; // replaced for the next layout, not at once: its successor may break too
      if (wanted) settle({ error: 'its worker ended' });
    };
  }

  function restart() {
    worker.terminate();
    begun = arrived = null;
    broken = false;
    lost = count;
    start();
    renewed();
  }

  function answer(data) {
    const { id, error } = data;
    if (error !== undefined) restart(); // its memory is not to be trusted after a failure
    if (id === wanted?.id) settle(data);
    else if (id > (wanted?.id ?? 0)) arrived = data;
    else if (error !== undefined && wanted) send(wanted);
  }

  function settle({ svg, lean, error }) {
    const { resolve, reject } = wanted;
    wanted = null;
    if (error === undefined) resolve({ svg, lean });
    else reject(new Error(`The picture could not be laid out: ${error}`));
  }

  const send = ({ id, dot }) => worker.postMessage({ id, dot });

  /* Ends the worker in time, if it is at something that is no longer wanted. */
  function hurry() {
    clearTimeout(timer);
    if (!begun || begun.id >= (wanted?.id ?? Infinity)) return;
    timer = setTimeout(
      () => {
        restart();
        if (wanted) send(wanted);
      },
      begun.since + GRACE - performance.now(),
    );
  }

  function want(job) {
    wanted?.reject(new Stale());
    wanted = job;
    hurry();
  }

  start();
  return {
    number: () => ++count,
    join: (port) => worker.postMessage({ port }, [port]),
    /* id: the number by which the library sent it; without one, it is sent from here. */
    layout: (dot, id) =>
      new Promise((resolve, reject) => {
        if (broken) restart();
        const sent = id > lost;
        want({ id: id ?? ++count, dot, resolve, reject });
        if (arrived?.id === wanted.id) settle(arrived);
        else if (!sent) send(wanted);
      }),
    cancel: () => want(null),
  };
}
