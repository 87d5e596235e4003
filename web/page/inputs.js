// The inputs of a program: a field for each param and buffer. What the user typed is kept by kind
// and slot, also while the program does not mention them.
import { el } from './dom.js';
import { bare, namesText, typeText } from './words.js';
import { shorten } from './dom.js';

const MOST = 200; // rows
const keyOf = ({ kind, slot }) => `${kind} ${slot}`;

export class Inputs {
  constructor(panel, onchange) {
    this.texts = new Map(); // key → { kind, slot, text }
    this.rows = new Map(); // key → { field, error, label }
    this.shown = null; // what the rows are of
    this.list = el('div', { class: 'rows' });
    this.fillBox = el('input', { type: 'checkbox', id: 'fill', checked: true, onchange });
    this.fillLabel = el(
      'label',
      { class: 'check', for: 'fill' },
      this.fillBox,
      'Make up the inputs that are left empty',
    );
    this.none = el('p', { class: 'muted' }, 'The program has no params and no buffers.');
    this.onchange = onchange;
    this.more = el('p', { class: 'muted' });
    panel.append(this.none, this.list, this.more, this.fillLabel);
    this.show([], new Map());
  }

  get fill() {
    return this.fillBox.checked ? 1 : undefined;
  }

  /* Those that have a text and that the program has (or may have: while it has an error). */
  get given() {
    return [...this.texts.values()].filter(({ text }) => text.trim() !== '');
  }

  set given(list) {
    this.texts = new Map(list.map((input) => [keyOf(input), { ...input }]));
    this.shown = null;
  }

  show(inputs, nodes) {
    this.none.hidden = inputs.length > 0;
    this.fillLabel.hidden = inputs.length === 0;
    this.more.hidden = inputs.length <= MOST;
    this.more.textContent = `The first ${MOST} of ${inputs.length} inputs are shown.`;
    const shape = inputs
      .map((i) => `${keyOf(i)} ${typeText(i)} ${nodes.get(i.node)?.names}`)
      .join(';');
    if (shape === this.shown) return;
    this.shown = shape;
    this.rows = new Map();
    this.list.replaceChildren(...inputs.slice(0, MOST).map((input) => this.row(input, nodes)));
  }

  row(input, nodes) {
    const key = keyOf(input);
    const id = `input-${key.replace(' ', '-')}`;
    const names = namesText(nodes.get(input.node)?.names ?? []);
    const error = el('p', { class: 'error', id: `${id}-error`, hidden: true });
    const field = el('input', {
      id,
      type: 'text',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': error.id,
      oninput: () => {
        this.texts.set(key, { kind: input.kind, slot: input.slot, text: field.value });
        this.onchange();
      },
    });
    field.value = this.texts.get(key)?.text ?? '';
    this.rows.set(key, { field, error, node: input.node });
    return el(
      'div',
      { class: 'row' },
      el(
        'label',
        { for: id },
        names ? el('b', {}, names) : null,
        el('span', {}, ` ${input.kind} ${input.slot}`),
        el('span', { class: 'muted' }, ` ${typeText(input)}`),
      ),
      field,
      error,
    );
  }

  /* What the run said: wrong texts, and the values of what was made up. */
  report(run, nodes) {
    const errors = new Map(run.inputErrors.map((e) => [keyOf(e), e.message]));
    const values = new Map(run.values.map((v) => [v.node, v.error ? '' : bare(v.text)]));
    for (const [key, { field, error }] of this.rows) {
      const message = errors.get(key);
      error.hidden = !message;
      error.textContent = message ?? '';
      field.setAttribute('aria-invalid', String(Boolean(message)));
      const node = nodes.find((input) => keyOf(input) === key)?.node;
      const value = values.get(node);
      field.placeholder = this.fill
        ? value
          ? `made up: ${shorten(value, 40)}`
          : 'made up'
        : 'a number, or [1, 2, 3]';
    }
  }
}
