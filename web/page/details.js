// The panel of the selected node: everything that is known of it, in words.
import { el, shorten } from './dom.js';
import { bare, grouped, linesText, namesText, shapeText } from './words.js';

const MOST = 4000; // characters of a value

const list = (pairs) =>
  el(
    'dl',
    { class: 'facts' },
    pairs
      .filter(([, v]) => v !== '' && v !== null && v !== undefined)
      .map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))),
  );

export class Details {
  constructor(panel) {
    this.panel = panel;
    this.hint();
  }

  hint() {
    this.panel.replaceChildren(
      el(
        'p',
        { class: 'muted' },
        'Select a node of the graph, by a click or with ' +
          'Tab, the arrow keys and Enter, to see its type, its bounds and what it costs.',
      ),
    );
  }

  node(node, facts, op) {
    const value = facts.value === undefined ? '' : bare(facts.value);
    this.panel.replaceChildren(
      el(
        'h3',
        {},
        el('code', {}, [node.op, node.arg].filter(Boolean).join(' ')),
        op?.doc ? el('span', { class: 'muted' }, op.doc) : null,
      ),
      list([
        ['name', namesText(node.names)],
        ['line', linesText(node.lines)],
        ['dtype', node.dtype],
        ['shape', node.dtype === 'void' ? '' : shapeText(node.shape)],
        ['space', node.space === 'alu' ? '' : node.space],
        ['bounds', facts.bounds ? `${facts.bounds[0]} to ${facts.bounds[1]}` : ''],
        ['work', grouped(facts.work ?? '')],
        ['bytes', grouped(facts.bytes ?? '')],
        ['value', value ? el('code', { class: 'long' }, shorten(value, MOST)) : ''],
      ]),
    );
  }

  /* A run of like nodes that is drawn as one box. */
  folded(nodes, open) {
    const names = nodes.flatMap((n) => n.names);
    const few =
      names.length > 6
        ? `${namesText(names.slice(0, 3))} … ${namesText(names.slice(-1))}`
        : namesText(names);
    this.panel.replaceChildren(
      el(
        'h3',
        {},
        el('code', {}, nodes[0].op),
        el(
          'span',
          { class: 'muted' },
          `a run of ${nodes.length.toLocaleString('en')} like nodes, drawn as one`,
        ),
      ),
      list([
        ['names', few],
        ['lines', linesText(nodes.flatMap((n) => n.lines))],
        ['dtype', nodes[0].dtype],
        ['shape', shapeText(nodes[0].shape)],
      ]),
      open ? el('button', { type: 'button', onclick: open }, 'Open the run') : '',
    );
  }
}
