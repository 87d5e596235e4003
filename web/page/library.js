// The page's one way to the library: questions to the worker, with a watchdog. A worker that does
// not answer in PATIENCE is ended, a new one started, and the question fails with a message that
// says so. `renewed` is called then: the new one has to be joined to the layout's; and `restarted`,
// since it knows no program, unless reading the program was what took so long. Of programs to
// analyse, and of steps, only the newest waits: one that a newer overtakes is never begun.
const PATIENCE = 8000;

export class Overtaken extends Error {}

const WORKER = new URL('./library.worker.js', import.meta.url);

export function connect({ renewed, restarted }) {
  let worker;
  let ready;
  let asked = new Map(); // id → { method, resolve, reject, part }
  let next = 1;
  let watchdog = 0;

  function start() {
    worker = new Worker(WORKER, { type: 'module' });
    ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve();
        else if (data.broken) reject(new Error(`The library could not be loaded: ${data.broken}`));
        else settle(data);
      };
      worker.onerror = (event) => {
        event.preventDefault?.();
        reject(new Error('The library could not be loaded.'));
        if (asked.size) restart('The library stopped unexpectedly and was started again.');
      };
    });
    ready.catch(() => {});
  }

  function settle({ id, result, part, error }) {
    const question = asked.get(id);
    if (!question) return;
    if (part) return question.part?.(part);
    asked.delete(id);
    watch();
    if (error === undefined) question.resolve(result);
    else question.reject(new Error(error));
  }

  /* The time runs while something is asked, anew from each answer. */
  function watch() {
    clearTimeout(watchdog);
    if (asked.size)
      watchdog = setTimeout(
        () =>
          restart(
            `The library did not answer in ${PATIENCE / 1000} ` +
              'seconds and was started again. Change the program to try once more.',
          ),
        PATIENCE,
      );
  }

  function restart(message) {
    clearTimeout(watchdog);
    worker.terminate();
    const unanswered = [...asked.values()];
    asked = new Map();
    start();
    renewed();
    for (const question of unanswered) question.reject(new Error(message));
    if (!unanswered.some(({ method }) => method === 'analyse')) restarted();
  }

  async function call(method, args = {}, part) {
    await ready;
    return new Promise((resolve, reject) => {
      const id = next++;
      asked.set(id, { method, resolve, reject, part });
      worker.postMessage({ id, method, args });
      watch();
    });
  }

  /* Asks one at a time. */
  function newest(method) {
    let busy = false;
    let waiting = null;
    return async (args, part) => {
      if (busy) {
        waiting?.reject(new Overtaken());
        await new Promise((resolve, reject) => {
          waiting = { resolve, reject };
        });
      }
      busy = true;
      try {
        return await call(method, args, part);
      } finally {
        const successor = waiting;
        waiting = null;
        busy = Boolean(successor);
        successor?.resolve();
      }
    };
  }

  start();
  const join = (port) => worker.postMessage({ port }, [port]);
  return { join, call, analyse: newest('analyse'), step: newest('step') };
}
