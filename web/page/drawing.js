// The picture of the newest graph, or a word on why there is none. A large graph is drawn when the
// user asks for it; a layout that takes long can be stopped, and one that takes very long is. What
// is to be drawn is a job: { graph, of: what it is the picture of, current(): whether it still is }.
import { plural } from './dom.js';
import { Stale } from './layout.js';
import { MANY, MOST, PATIENCE, SLOW } from './limits.js';

const ANYWAY = 'Draw it all the same';

export class Drawing {
  /* on: { whole(): a promise of a graph that was too large to be sent, shown(): there is another
   * picture, or none, settled(): nothing is on its way } */
  constructor(layout, view, notice, on) {
    Object.assign(this, { layout, view, notice, on });
    this.now = null; // the picture, if there is one: { dot, svg, of }
  }

  /* force: though it is large. */
  async draw(job, force = false) {
    const { graph, current } = job;
    this.notice.say('');
    if (graph.count > MANY && !force) return this.tooLarge(job);
    const timers = this.watch(job, force);
    try {
      const picture = await this.layout.layout(graph.dot, graph.picture);
      if (!current()) return;
      this.notice.say('');
      this.show(picture, job);
      this.on.settled();
    } catch (error) {
      if (error instanceof Stale || !current()) return;
      this.fail(error.message);
    } finally {
      timers.forEach(clearTimeout);
    }
  }

  show({ svg, lean }, { graph, of }) {
    this.view.show(lean, graph.boxes);
    this.now = { dot: graph.dot, svg, of };
    this.view.container.classList.remove('stale');
    this.on.shown();
  }

  tooLarge(job) {
    const { count } = job.graph;
    const large = `${plural(count, 'box', 'boxes')}: too many to draw at once.`;
    this.layout.cancel();
    if (count > MOST) this.fail(large);
    else this.fail(large, ANYWAY, () => this.drawLarge(job));
  }

  /* A large graph's DOT is fetched only now. */
  async drawLarge(job) {
    try {
      const graph = job.graph.dot ? job.graph : await this.on.whole();
      if (job.current()) await this.draw({ ...job, graph }, true);
    } catch (error) {
      if (job.current()) this.notice.say(error.message);
    }
  }

  /* Stop may be pressed after the text has changed: what there is of the new one is on its way. */
  watch(job, force) {
    const boxes = plural(job.graph.count, 'box', 'boxes');
    const stop = (text) => {
      this.layout.cancel();
      if (job.current()) return this.fail(text, ANYWAY, () => this.drawLarge(job));
      this.clear();
      this.notice.say('');
    };
    const say = () => {
      this.dim();
      this.notice.say(`Laying out ${boxes}…`, 'Stop', () => stop('The layout was stopped.'));
    };
    const giveUp = () => stop(`The layout of ${boxes} took too long and was stopped.`);
    return [
      setTimeout(() => job.current() && say(), SLOW),
      ...(force ? [] : [setTimeout(() => job.current() && giveUp(), PATIENCE)]),
    ];
  }

  /* There is no picture, and this is why. */
  fail(...why) {
    this.clear();
    this.notice.say(...why);
    this.on.settled();
  }

  clear() {
    this.now = null;
    this.view.clear();
    this.on.shown();
  }

  /* The picture is not of what is typed, until the next is shown. */
  dim() {
    this.view.container.classList.add('stale');
    this.view.mark('lit', new Set());
  }

  /* What there is stays, dimmed; nothing more comes. */
  cancel() {
    this.dim();
    this.layout.cancel();
  }
}
