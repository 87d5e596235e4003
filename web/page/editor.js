// The editor. It lives in a shadow root, where CodeMirror's styles are constructed sheets, which a
// strict Content-Security-Policy lets through. Values, marks and lit lines are laid over the text
// here, and move with it while it is edited, until the library says new ones.
import { EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  GutterMarker,
  WidgetType,
  drawSelection,
  gutter,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { bracketMatching } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { shorten } from './dom.js';
import { uir } from './uir.js';
import { theme } from './editor.theme.js';

const LONG = 60; // characters of a value at the end of its line

class Value extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }
  eq(other) {
    return other.text === this.text;
  }
  toDOM() {
    const span = document.createElement('span');
    span.className = 'cm-value';
    span.textContent = `= ${shorten(this.text, LONG)}`;
    span.title = shorten(this.text, 2000);
    return span;
  }
  ignoreEvent() {
    return false;
  }
}

/* A mark in the gutter: a sign and a word, so that colour is never all that tells. */
class Mark extends GutterMarker {
  constructor(kind, title) {
    super();
    Object.assign(this, { kind, title });
  }
  eq(other) {
    return other.kind === this.kind && other.title === this.title;
  }
  toDOM() {
    const span = document.createElement('span');
    span.className = `cm-mark cm-mark-${this.kind}`;
    span.textContent = { error: '●', warning: '▲', pass: '✓', fail: '✗' }[this.kind];
    span.title = this.title;
    return span;
  }
}

/* A field of ranges that an effect replaces and edits move. */
function layer(provide) {
  const effect = StateEffect.define();
  const field = StateField.define({
    create: () => RangeSet.empty,
    update(ranges, tr) {
      for (const e of tr.effects) if (e.is(effect)) return e.value;
      return tr.docChanged ? ranges.map(tr.changes) : ranges;
    },
    provide,
  });
  return [field, effect];
}
const decorations = (field) => EditorView.decorations.from(field);
const [values, setValues] = layer(decorations);
const [lit, setLit] = layer(decorations);
const [marks, setMarks] = layer();

/* Text typed over a selection: done here, since the browser would carry the style of what it
 * replaces into an inline style, which the page's policy forbids. */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection;
    if (event.inputType !== 'insertText' || !event.data || view.composing || main.empty)
      return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(event.data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    event.preventDefault();
    const handled = view.state
      .facet(EditorView.inputHandler)
      .some((handler) => handler(view, main.from, main.to, event.data, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});

const lineNumbersWithin = (doc, lines) =>
  [...new Set(lines)].filter((n) => n >= 1 && n <= doc.lines).sort((a, b) => a - b);

export class Editor {
  /* on: { change(text), line(number or null), facts: what uir.js asks } */
  constructor(host, on) {
    this.on = on;
    const root = host.attachShadow({ mode: 'open' });
    this.view = new EditorView({ root, parent: root, state: this.stateOf('') });
    this.view.contentDOM.addEventListener('mousemove', (e) => this.hover(e));
    this.view.contentDOM.addEventListener('mouseleave', () => this.tell(null));
  }

  stateOf(doc) {
    return EditorState.create({
      doc,
      extensions: [
        marks,
        gutter({
          class: 'cm-marks',
          markers: (view) => view.state.field(marks),
          initialSpacer: () => new Mark('pass', ''),
        }),
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightSpecialChars(),
        bracketMatching(),
        closeBrackets(),
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
        keymap.of([
          ...completionKeymap,
          ...closeBracketsKeymap,
          ...lintKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        uir(this.on.facts),
        values,
        lit,
        theme,
        typeOver,
        EditorView.contentAttributes.of({
          'aria-label': 'Program in .uir',
          spellcheck: 'false',
          tabindex: '0',
          autocapitalize: 'off',
          autocorrect: 'off',
        }),
        EditorView.updateListener.of((update) => this.updated(update)),
      ],
    });
  }

  updated(update) {
    if (update.docChanged) this.on.change();
    if (update.selectionSet || update.focusChanged || update.docChanged)
      this.tell(this.hovered ?? null);
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /* One step for undo, whatever it replaces. */
  replace(text) {
    const { state } = this.view;
    this.view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: 0 },
      scrollIntoView: true,
      userEvent: 'input.replace',
    });
  }

  goTo(from, to = from) {
    const { length } = this.view.state.doc;
    this.view.dispatch({
      selection: { anchor: Math.min(from, length), head: Math.min(to, length) },
      scrollIntoView: true,
    });
    this.view.focus();
  }

  /* Brings a line into view, and leaves the cursor and the focus where they are. */
  reveal(line) {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    this.view.dispatch({
      effects: EditorView.scrollIntoView(doc.line(line).from, { yMargin: 30 }),
    });
  }

  // ---- which line is meant ----

  hover(event) {
    const pos = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    this.tell(pos === null ? null : this.view.state.doc.lineAt(pos).number);
  }

  /* The line under the pointer, else that of the cursor while the editor has the focus. */
  tell(hovered) {
    this.hovered = hovered;
    const { state } = this.view;
    const line =
      hovered ?? (this.view.hasFocus ? state.doc.lineAt(state.selection.main.head).number : null);
    if (line !== this.told) this.on.line((this.told = line));
  }

  // ---- what lies over the text ----

  /* All that the library says of the text, in one update: diagnostics; values: { line, text };
   * marks: { line, kind, title }, of several on a line the first. */
  annotate({ diagnostics, values: texts, marks: signs }) {
    const { state } = this.view;
    const { effects } = setDiagnostics(state, this.inside(diagnostics));
    this.view.dispatch({
      effects: [].concat(
        effects,
        setValues.of(this.valueRanges(texts)),
        setMarks.of(this.markRanges(signs)),
      ),
    });
  }

  valueRanges(list) {
    const { doc } = this.view.state;
    const byLine = new Map(list.map((v) => [v.line, v.text]));
    return RangeSet.of(
      lineNumbersWithin(doc, byLine.keys()).map((n) =>
        Decoration.widget({ widget: new Value(byLine.get(n)), side: 1 }).range(doc.line(n).to),
      ),
    );
  }

  markRanges(list) {
    const { doc } = this.view.state;
    const byLine = new Map([...list].reverse().map((m) => [m.line, m]));
    return RangeSet.of(
      lineNumbersWithin(doc, byLine.keys()).map((n) => {
        const { kind, title } = byLine.get(n);
        return new Mark(kind, title).range(doc.line(n).from);
      }),
    );
  }

  /* The text may have changed since: what lies outside now is moved to its end. */
  inside(diagnostics) {
    const { length } = this.view.state.doc;
    return diagnostics.map(({ from, to, severity, message }) => {
      const start = Math.min(from, length);
      return { from: start, to: Math.min(Math.max(to, start), length), severity, message };
    });
  }

  light(lines) {
    const { doc } = this.view.state;
    const ranges = lineNumbersWithin(doc, lines).map((n) =>
      Decoration.line({ class: 'cm-lit' }).range(doc.line(n).from),
    );
    this.view.dispatch({ effects: setLit.of(RangeSet.of(ranges)) });
  }
}
