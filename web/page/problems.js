// What is wrong with a program, below the editor: the same as its marks and underlines, as text.
import { $, el, plural, shorten } from './dom.js';

const MOST = 50;
const REPORTED = 20; // errors, and again warnings, after which a reading says no more
const failing = (d) => d.code === 'E_ASSERT';
const sign = (d) => (failing(d) ? '✗' : d.severity === 'error' ? '●' : '▲');

/* One sentence, and no problems. */
export function verdict(text, kind = '') {
  $('verdict').className = kind;
  $('verdict').textContent = text;
  $('problem-list').replaceChildren();
}

function entry(d, goTo) {
  const text = `${sign(d)} ${d.severity}, line ${d.line}: ${shorten(d.message, 600)}`;
  const attributes = { type: 'button', class: d.severity, onclick: () => goTo(d) };
  return el('li', {}, el('button', attributes, text));
}

const atLeast = (n, word) => plural(n, word) + (n >= REPORTED ? ' or more' : '');

function counts(diagnostics, failed, held) {
  const errors = diagnostics.filter((d) => d.severity === 'error' && !failing(d)).length;
  const warnings = diagnostics.filter((d) => d.severity === 'warning').length;
  const said = [
    errors && atLeast(errors, 'error'),
    warnings && atLeast(warnings, 'warning'),
    failed && `✗ ${plural(failed, 'assert fails', 'asserts fail')}`,
    held && `✓ ${plural(held, 'assert holds', 'asserts hold')}`,
  ].filter(Boolean);
  if (!said.length) return verdict('No problems', 'muted');
  verdict(said.join(' · '), errors || failed ? 'fail' : held ? 'pass' : 'muted');
}

/* Errors first. goTo(diagnostic) is for the one that is chosen. */
export function showProblems(diagnostics, asserts, goTo) {
  const failed = asserts.filter((a) => !a.pass).length;
  counts(diagnostics, failed, asserts.length - failed);
  const items = [...diagnostics].sort(
    (a, b) => (a.severity > b.severity) - (a.severity < b.severity) || a.line - b.line,
  );
  const list = $('problem-list');
  list.append(...items.slice(0, MOST).map((d) => entry(d, goTo)));
  if (items.length > MOST)
    list.append(el('li', { class: 'muted' }, `and ${items.length - MOST} more`));
}
