// A row of tabs: the arrow keys, Home and End go from one to the next, as in any list of tabs.
import { $ } from './dom.js';

export function tabs(list) {
  const all = [...list.querySelectorAll('[role="tab"]')];
  function choose(tab) {
    for (const t of all) {
      t.setAttribute('aria-selected', String(t === tab));
      t.tabIndex = t === tab ? 0 : -1;
      $(t.getAttribute('aria-controls')).hidden = t !== tab;
    }
  }
  list.addEventListener('click', (e) => {
    const tab = e.target.closest('[role="tab"]');
    if (tab) choose(tab);
  });
  list.addEventListener('keydown', (e) => {
    const at = all.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined || at < 0) return;
    e.preventDefault();
    const tab = all[(to + all.length) % all.length];
    choose(tab);
    tab.focus();
  });
}
