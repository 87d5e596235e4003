// What is said over the picture, perhaps with a button. While it is covered, only what covers it is
// said; the newest of the rest is said again once it is uncovered.
import { el } from './dom.js';

export class Notice {
  /* focus: what gets the focus when a button that was pressed goes. */
  constructor(panel, focus) {
    Object.assign(this, { panel, focus, newest: [], covered: false });
  }

  say(...what) {
    this.newest = what;
    if (!this.covered) this.put(...what);
  }

  /* Said only after a moment, as what the next key may take away. */
  sayLate(text) {
    this.say(text);
    this.panel.classList.toggle('late', !this.covered);
  }

  cover(...what) {
    this.covered = true;
    this.put(...what);
  }

  uncover() {
    this.covered = false;
    this.put(...this.newest);
  }

  put(text, action, onclick) {
    const pressed = this.panel.contains(document.activeElement);
    this.panel.hidden = !text;
    this.panel.classList.remove('late');
    this.panel.replaceChildren(
      text ?? '',
      action ? el('button', { type: 'button', onclick }, action) : '',
    );
    if (pressed) this.focus.focus();
  }
}
