// The .uir language for the editor: colours, completion, and what is said of a word under the
// pointer. Only the look of a text is decided here; what it means, and what is wrong with it, the
// library says.
import {
  HighlightStyle,
  LanguageSupport,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { autocompletion } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { el, shorten } from './dom.js';
import { namesText, typeText } from './words.js';

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(?![\w.])/;

function token(stream, state) {
  if (stream.sol()) state.value = false;
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return 'comment';
  if (stream.match(/^%[\w.]+(?=\s*=)/)) return 'definition';
  if (stream.match(/^%[\w.]*/)) return 'variableName';
  if (stream.match(NUMBER)) return 'number';
  if (stream.match(/^[+-]?(inf|nan|true|false)\b/)) return 'number';
  if (stream.match(/^[a-z]+(?==)/)) {
    state.value = true;
    return 'propertyName';
  }
  const afterKey = state.value && stream.peek() !== '=';
  if (stream.match(/^[A-Za-z_]\w*/)) {
    state.value = false;
    return afterKey ? 'typeName' : 'keyword';
  }
  if (stream.next() !== '=') state.value = false;
  return 'punctuation';
}

const language = StreamLanguage.define({
  name: 'uir',
  startState: () => ({ value: false }),
  copyState: (state) => ({ ...state }),
  token,
  tokenTable: { definition: tags.definition(tags.variableName) },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['('] } },
});

const style = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: tags.definition(tags.variableName), color: 'var(--code-name)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--code-name)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: tags.keyword, color: 'var(--code-op)' },
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.typeName, color: 'var(--code-type)' },
  { tag: tags.punctuation, color: 'var(--muted)' },
]);

// ---- completion ----

const ATTRIBUTES = {
  const: ['dtype'],
  param: ['slot', 'dtype', 'shape', 'space'],
  buffer: ['dtype', 'slot'],
  alloc: ['dtype', 'slot', 'space'],
  cast: ['dtype'],
  reduce: ['op', 'pop'],
  call: ['name'],
  range: ['idx', 'kind'],
};
const VALUES = {
  dtype: ['i32', 'f32', 'f16', 'bool'],
  op: ['add', 'max'],
  space: ['alu', 'global', 'local'],
  kind: ['loop', 'reduce', 'upcast', 'thread', 'global', 'local'],
};
const plain = (type) => (label) => ({ label, type });

/* Names that are defined above the line, the nearest first. */
function namesAbove(doc, line, typeOf) {
  const found = [];
  const seen = new Set();
  for (let n = line - 1; n > 0 && found.length < 500; n--) {
    const name = /^\s*%([\w.]+)\s*=/.exec(doc.line(n).text)?.[1];
    if (!name || seen.has(name)) continue;
    seen.add(name);
    found.push({
      label: `%${name}`,
      type: 'variable',
      detail: typeOf(name),
      boost: -found.length / 10,
    });
  }
  return found;
}

function complete(facts) {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    if (before.includes('#')) return null;
    const name = /%[\w.]*$/.exec(before);
    if (name && before.slice(0, name.index).trim() !== '')
      return {
        from: context.pos - name[0].length,
        validFor: /^%[\w.]*$/,
        options: namesAbove(context.state.doc, line.number, facts.typeOf),
      };
    const value = /\b(dtype|op|space|kind)=(\w*)$/.exec(before);
    if (value)
      return { from: context.pos - value[2].length, options: VALUES[value[1]].map(plain('type')) };
    const word = /[A-Za-z_]\w*$/.exec(before)?.[0] ?? '';
    if (!word && !context.explicit) return null;
    const ahead = before.slice(0, before.length - word.length);
    const from = context.pos - word.length;
    if (/(=|\()\s*$/.test(ahead) || ahead.trim() === '')
      return {
        from,
        validFor: /^\w*$/,
        options:
          ahead.trim() === '' ? facts.ops().filter((o) => o.label === 'assert') : facts.ops(),
      };
    const op = /(?:=|\()\s*([a-z]\w*)[^()]*$/.exec(ahead)?.[1];
    const keys = ATTRIBUTES[op];
    if (keys && (word || /:\s*$|\s$/.test(ahead)))
      return {
        from,
        validFor: /^\w*$/,
        options: keys.map((k) => ({ label: `${k}=`, type: 'property' })),
      };
    return null;
  };
}

// ---- hover ----

function opCard(op) {
  return el(
    'div',
    { class: 'card' },
    el('p', { class: 'signature' }, op.signature || op.name),
    el('p', {}, op.doc),
    op.args?.length ? el('p', { class: 'muted' }, `takes ${op.args.join(', ')}`) : null,
  );
}

function nodeCard(node, value) {
  return el(
    'div',
    { class: 'card' },
    el(
      'p',
      { class: 'signature' },
      `${namesText(node.names)} = ${[node.op, node.arg].join(' ').trim()}`,
    ),
    el('p', {}, typeText(node), value ? ` = ${shorten(value, 80)}` : ''),
  );
}

function hover(facts) {
  return hoverTooltip(
    (view, pos) => {
      const line = view.state.doc.lineAt(pos);
      const comment = line.text.indexOf('#');
      for (const match of line.text.matchAll(/%[\w.]+|[A-Za-z_]\w*/g)) {
        const [from, to] = [line.from + match.index, line.from + match.index + match[0].length];
        if (pos < from || pos > to || (comment >= 0 && match.index > comment)) continue;
        const word = match[0];
        const node = word.startsWith('%') ? facts.nodeOf(word.slice(1)) : null;
        const op = word.startsWith('%') ? null : facts.op(word);
        if (!node && !op) return null;
        return {
          pos: from,
          end: to,
          above: true,
          create: () => ({ dom: node ? nodeCard(node.node, node.value) : opCard(op) }),
        };
      }
      return null;
    },
    { hoverTime: 250 },
  );
}

/* facts: { ops(): completions, op(word), nodeOf(name), typeOf(name) }, asked when needed. */
export function uir(facts) {
  return new LanguageSupport(language, [
    syntaxHighlighting(style),
    autocompletion({ override: [complete(facts)], icons: false }),
    hover(facts),
  ]);
}
