// The simplifier's panel: its steps one by one, forwards and back. The graph shows the program
// after the step; here stand the rule, what it said and what it did, and the program's text.
import { el, plural, shorten } from './dom.js';

const IDLE =
  'Nothing changes here: an earlier step did this already, or it was not taken, as where a ' +
  'function would lose a parameter.';

export class Simplify {
  /* on: { start(), step(k), use(text), close() } */
  constructor(panel, on) {
    this.panel = panel;
    this.on = on;
    this.idle();
  }

  get steps() {
    return this.result.steps.length;
  }

  get open() {
    return Boolean(this.result);
  }

  idle(message) {
    this.result = null;
    this.panel.replaceChildren(
      el(
        'p',
        {},
        'Rewrite rules are applied until nothing changes: an equal program that takes less work.',
      ),
      message ? el('p', { class: 'muted', role: 'status' }, message) : '',
      el(
        'button',
        { type: 'button', class: 'primary', id: 'simplify', onclick: () => this.on.start() },
        'Simplify',
      ),
    );
  }

  show(result) {
    const { steps, before, after, more } = result;
    if (!steps.length)
      return this.idle('No rule applies: the program is as simple as the rules can make it.');
    this.result = result;
    const button = (label, text, go) =>
      el('button', { type: 'button', 'aria-label': label, title: label, onclick: go }, text);
    this.slider = el('input', {
      type: 'range',
      min: '0',
      max: String(steps.length),
      value: '0',
      'aria-label': 'Step',
      oninput: () => this.go(Number(this.slider.value)),
    });
    this.first = button('First step', '«', () => this.go(0));
    this.back = button('Step back', '‹', () => this.go(this.k - 1));
    this.forward = button('Step forward', '›', () => this.go(this.k + 1));
    this.last = button('Last step', '»', () => this.go(steps.length));
    this.where = el('p', { class: 'where', role: 'status' });
    this.what = el('div', { class: 'step' });
    this.text = el('pre', {
      class: 'program',
      tabindex: '0',
      role: 'region',
      'aria-label': 'The program after this step',
    });
    this.panel.replaceChildren(
      el(
        'p',
        {},
        `From ${plural(before.nodes, 'node')} to ${after.nodes.toLocaleString('en')}, from work ` +
          `${before.work} to ${after.work}, in ${plural(steps.length, 'step')}` +
          (more ? '; there were more.' : '.'),
      ),
      el('div', { class: 'stepper' }, this.first, this.back, this.slider, this.forward, this.last),
      this.where,
      this.what,
      this.text,
      el(
        'div',
        { class: 'buttons' },
        el(
          'button',
          { type: 'button', class: 'primary', onclick: () => this.on.use(result.text) },
          'Use the result',
        ),
        el('button', { type: 'button', onclick: () => this.close() }, 'Back to the program'),
      ),
    );
    this.go(0);
    this.forward.focus();
  }

  close() {
    this.idle();
    this.on.close();
  }

  go(k) {
    const { steps } = this.result;
    this.k = Math.min(Math.max(k, 0), steps.length);
    this.slider.value = String(this.k);
    this.slider.setAttribute('aria-valuetext', `step ${this.k} of ${steps.length}`);
    const disable = (button, off) => button.setAttribute('aria-disabled', String(off));
    for (const b of [this.first, this.back]) disable(b, this.k === 0);
    for (const b of [this.forward, this.last]) disable(b, this.k === steps.length);
    this.where.textContent = this.k ? `Step ${this.k} of ${steps.length}` : 'Before the first step';
    const step = steps[this.k - 1];
    this.what.replaceChildren(
      ...(step
        ? [
            el('h3', {}, el('code', {}, step.rule)),
            step.doc ? el('p', {}, step.doc) : '',
            step.text ? el('pre', { class: 'rule' }, step.text) : '',
            el(
              'dl',
              { class: 'change' },
              el(
                'div',
                {},
                el('dt', {}, 'before'),
                el('dd', {}, el('code', {}, shorten(step.before, 300))),
              ),
              el(
                'div',
                {},
                el('dt', {}, 'after'),
                el('dd', {}, el('code', {}, shorten(step.after, 300))),
              ),
            ),
          ]
        : [
            el(
              'p',
              { class: 'muted' },
              'The program as it is written. Step forward to see what changes.',
            ),
          ]),
    );
    this.on.step(this.k);
  }

  /* idle: the step is not to be seen in the program. */
  showText(text, idle) {
    this.text.textContent = shorten(text, 20000);
    if (idle) this.what.append(el('p', { class: 'muted' }, IDLE));
  }
}
