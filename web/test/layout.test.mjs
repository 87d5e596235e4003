// The queue of layouts, by itself: its worker is a stand-in that answers when the test says so.
import { beforeEach, mock, test } from 'node:test';
import assert from 'node:assert/strict';
import { layouter, Stale } from '../page/layout.js';

let workers;
let joins;
let layout;

class StandIn {
  constructor() {
    Object.assign(this, { sent: [], ended: false });
    workers.push(this);
  }
  postMessage(message) {
    if (message.dot !== undefined) this.sent.push(message);
  }
  terminate() {
    this.ended = true;
  }
  say(data) {
    this.onmessage({ data });
  }
  draw(id) {
    this.say({ begun: id });
    this.say({ id, svg: `svg ${id}`, lean: `lean ${id}` });
  }
}

beforeEach(() => {
  workers = [];
  joins = 0;
  globalThis.Worker = StandIn;
  layout = layouter(() => joins++, 'layout.worker.js');
});

const ids = (worker) => worker.sent.map(({ id }) => id);
const picture = (id) => ({ svg: `svg ${id}`, lean: `lean ${id}` });

test('a graph of the page goes to the worker, and its picture comes back', async () => {
  const promise = layout.layout('digraph {}');
  assert.deepEqual(workers[0].sent, [{ id: 1, dot: 'digraph {}' }]);
  workers[0].draw(1);
  assert.deepEqual(await promise, picture(1));
});

test('a graph that the library sent is not sent again, whichever comes first', async () => {
  const [early, late] = [layout.number(), layout.number()];
  workers[0].draw(early); // before the page knows of it
  assert.deepEqual(await layout.layout('a', early), picture(early));
  const promise = layout.layout('b', late);
  workers[0].draw(late);
  assert.deepEqual(await promise, picture(late));
  assert.deepEqual(workers[0].sent, []);
});

test('what a newer overtakes is stale, and its late picture is dropped', async () => {
  const [old, young] = [layout.number(), layout.number()];
  const overtaken = assert.rejects(layout.layout('a', old), Stale);
  const promise = layout.layout('b', young);
  await overtaken;
  workers[0].draw(old);
  workers[0].draw(young);
  assert.deepEqual(await promise, picture(young));
  assert.equal(workers.length, 1);
});

test('an overtaken layout ends by itself or is ended, and the newer is sent again', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const [old, young] = [layout.number(), layout.number()];
    workers[0].say({ begun: old });
    const overtaken = assert.rejects(layout.layout('a', old), Stale);
    mock.timers.tick(10000); // as long as it is wanted, it may take its time
    assert.equal(workers[0].ended, false);
    const promise = layout.layout('b', young);
    await overtaken;
    mock.timers.tick(1000);
    assert.equal(workers[0].ended, true);
    assert.equal(joins, 1);
    assert.deepEqual(workers[1].sent, [{ id: young, dot: 'b' }]);
    workers[1].draw(young);
    assert.deepEqual(await promise, picture(young));
  } finally {
    mock.timers.reset();
  }
});

test('a cancelled layout is stale, and its worker is left alone if it ends soon', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const id = layout.number();
    const cancelled = assert.rejects(layout.layout('a', id), Stale);
    workers[0].say({ begun: id });
    layout.cancel();
    await cancelled;
    workers[0].say({ id, svg: '', lean: '' });
    mock.timers.tick(1000);
    assert.equal(workers.length, 1);

    const longer = layout.number();
    const ended = assert.rejects(layout.layout('b', longer), Stale);
    workers[0].say({ begun: longer });
    layout.cancel();
    await ended;
    mock.timers.tick(1000);
    assert.equal(workers.length, 2);
    assert.deepEqual(workers[1].sent, []);
  } finally {
    mock.timers.reset();
  }
});

test('after a failure there is a new worker, which is sent what the old one had', async () => {
  const [old, young] = [layout.number(), layout.number()];
  const overtaken = assert.rejects(layout.layout('a', old), Stale);
  const promise = layout.layout('b', young);
  await overtaken;
  workers[0].say({ id: old, error: 'out of memory' });
  assert.deepEqual(ids(workers[1]), [young]);
  workers[1].say({ id: young, error: 'syntax error' });
  await assert.rejects(promise, /could not be laid out: syntax error/);
  assert.equal(workers.length, 3);
});

test('what the library sent to a worker that ended is sent again by the page', async () => {
  const id = layout.number();
  workers[0].say({ id: 0, error: 'gone' });
  const promise = layout.layout('a', id);
  assert.deepEqual(workers[1].sent, [{ id, dot: 'a' }]);
  workers[1].draw(id);
  assert.deepEqual(await promise, picture(id));
});

test('a worker that breaks down fails the layout that is waited for, and is replaced', async () => {
  const promise = layout.layout('a');
  workers[0].onerror({ preventDefault() {} });
  await assert.rejects(promise, /could not be laid out: its worker ended/);
  workers[0].onerror({}); // with nothing wanted
  assert.equal(workers.length, 1);
  const next = layout.layout('b');
  assert.deepEqual(workers[1].sent, [{ id: 2, dot: 'b' }]);
  workers[1].draw(2);
  assert.deepEqual(await next, picture(2));
});
