// The challenges' panel: a list, and the one that is open. What is solved is remembered while the
// page is open. A challenge that asks a question hides the page's answer to it until it is solved.
import { el, paragraphs } from './dom.js';

export class Challenges {
  /* on: { load(text), check(challenge, answer) → promise of results, hide(yes) } */
  constructor(panel, challenges, on) {
    Object.assign(this, { panel, challenges, on, solved: new Set() });
    this.list();
  }

  list() {
    this.open = null;
    this.on.hide(false);
    this.panel.replaceChildren(
      el(
        'p',
        {},
        'Small puzzles about graphs of nodes. Choosing one replaces the program; ' +
          'Ctrl-Z brings yours back.',
      ),
      el(
        'ul',
        { class: 'list' },
        this.challenges.map((c) =>
          el(
            'li',
            {},
            el(
              'button',
              { type: 'button', class: 'entry', onclick: () => this.show(c) },
              el(
                'span',
                { class: this.solved.has(c) ? 'tick' : 'tick muted', 'aria-hidden': 'true' },
                this.solved.has(c) ? '✓' : '○',
              ),
              c.title,
              this.solved.has(c) ? el('span', { class: 'hidden' }, ' (solved)') : '',
            ),
          ),
        ),
      ),
    );
  }

  show(challenge) {
    this.open = challenge;
    const asks = challenge.checks.some((c) => c.kind === 'answer');
    this.results = el('div', { class: 'results', role: 'status' });
    this.field = asks
      ? el('input', { type: 'text', id: 'answer', autocomplete: 'off', inputmode: 'text' })
      : null;
    const heading = el('h3', { tabindex: '-1' }, challenge.title);
    this.panel.replaceChildren(
      heading,
      ...paragraphs(challenge.text),
      el(
        'form',
        {
          class: 'answer',
          onsubmit: (e) => {
            e.preventDefault();
            this.check();
          },
        },
        asks ? el('label', { for: 'answer' }, challenge.question ?? 'Your answer') : '',
        this.field ?? '',
        el('button', { type: 'submit', class: 'primary', id: 'check' }, 'Check'),
        el(
          'button',
          { type: 'button', onclick: () => this.solve() },
          asks ? 'Show the answer' : 'Show a solution',
        ),
        el('button', { type: 'button', onclick: () => this.list() }, 'All challenges'),
      ),
      this.results,
    );
    this.on.hide(asks && !this.solved.has(challenge));
    this.on.load(challenge.starter);
    heading.focus();
  }

  solve() {
    if (this.field) {
      this.field.value = this.open.solution;
      this.on.hide(false);
    } else this.on.load(this.open.solution);
  }

  async check() {
    const challenge = this.open;
    const results = await this.on.check(challenge, this.field?.value);
    if (this.open !== challenge) return;
    const solved = results.every((r) => r.pass);
    if (solved) {
      this.solved.add(challenge);
      this.on.hide(false);
    }
    this.results.replaceChildren(
      el(
        'p',
        { class: solved ? 'verdict pass' : 'verdict fail' },
        solved ? '✓ Solved.' : '✗ Not yet.',
      ),
      el(
        'ul',
        {},
        results.map(({ pass, message }) =>
          el('li', { class: pass ? 'pass' : 'fail' }, `${pass ? '✓' : '✗'} ${message}`),
        ),
      ),
      solved && challenge.afterwards ? el('p', {}, challenge.afterwards) : '',
    );
  }
}
