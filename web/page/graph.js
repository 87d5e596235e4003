// The view of the graph: pan, zoom, fit, and nodes that pointer and keyboard reach. It knows boxes
// (what Graphviz drew) and the ids of the nodes that each stands for; what they mean is the page's
// business. The transform is the user's once it was moved by hand; until then the picture fits the
// view.
import { readPicture, svg } from './picture.js';

const CLICK = 4; // pixels within which a drag is a click
const WHOLE = 0.4; // the picture begins whole where that is no smaller than this
const READABLE = 0.6; // else it begins with its top, so large

export class GraphView {
  constructor(container, { onhover, onselect, label }) {
    this.container = container;
    this.onhover = onhover;
    this.onselect = onselect;
    this.label = label; // of a box's name and the text in it: text for screen readers
    this.viewport = svg('g');
    this.root = svg('svg', { role: 'group', 'aria-label': 'Nodes', width: '100%', height: '100%' });
    this.root.append(this.viewport);
    container.append(this.root);
    this.boxes = {};
    this.nodes = new Map();
    this.extents = new Map(); // what each covers, in the picture
    this.edges = [];
    this.width = this.height = 0;
    this.moved = false;
    this.at = { x: 0, y: 0, k: 1 };
    this.pointers = new Map();
    this.listen();
    this.size = { w: 0, h: 0 }; // kept, since asking for it makes the browser lay out the page
    new ResizeObserver(([{ contentRect }]) => {
      this.size = { w: contentRect.width, h: contentRect.height };
      if (!this.moved) this.home();
    }).observe(container);
  }

  show(text, boxes) {
    const focused = this.focused();
    const picture = readPicture(text);
    this.boxes = boxes;
    const { width, height, nodes, extents, edges } = picture;
    Object.assign(this, { width, height, nodes, extents, edges });
    for (const [name, element] of this.nodes) this.prepare(name, element);
    this.viewport.replaceChildren(picture.layer);
    this.current = this.nodes.keys().next().value;
    this.setCurrent(this.current);
    if (!this.moved) this.home();
    if (focused) this.refocus(focused);
  }

  /* Nobody knows any more what the boxes stand for. */
  forget() {
    this.boxes = {};
  }

  clear() {
    this.forget();
    if (this.focused()) this.container.focus();
    this.nodes = new Map();
    this.extents = new Map();
    this.edges = [];
    this.viewport.replaceChildren();
    this.moved = false;
  }

  prepare(name, element) {
    const box = this.boxes[name];
    element.dataset.box = name;
    element.setAttribute('role', 'button');
    element.setAttribute('tabindex', '-1');
    element.setAttribute('aria-pressed', 'false');
    const lines = [...element.getElementsByTagName('text')].map((t) => t.textContent);
    element.dataset.key = lines[0] ?? '';
    element.setAttribute('aria-label', this.label(name, lines.join(' ')));
    if (box?.folded) element.classList.add('folded');
  }

  // ---- which boxes are marked ----

  /* Marks the boxes that stand for any of the ids: 'lit', 'changed', … */
  mark(kind, ids) {
    for (const [name, element] of this.nodes)
      element.classList.toggle(kind, Boolean(this.boxes[name]?.nodes.some((id) => ids.has(id))));
    if (kind !== 'lit') return;
    for (const { from, to, element } of this.edges)
      element.classList.toggle(
        'lit',
        [from, to].every((n) => this.nodes.has(n)) &&
          [from, to].some((n) => this.nodes.get(n).classList.contains('lit')),
      );
  }

  select(name) {
    for (const [box, element] of this.nodes) {
      element.classList.toggle('selected', box === name);
      element.setAttribute('aria-pressed', String(box === name));
    }
    if (name) this.setCurrent(name);
  }

  boxOf(id) {
    for (const name of this.nodes.keys()) if (this.boxes[name]?.nodes.includes(id)) return name;
    return null;
  }

  // ---- focus ----

  setCurrent(name) {
    this.nodes.get(this.current)?.setAttribute('tabindex', '-1');
    this.current = name;
    this.nodes.get(name)?.setAttribute('tabindex', '0');
  }

  /* { box, key } of the node that has the focus: its number and what it shows first. */
  focused() {
    const element = document.activeElement;
    return this.container.contains(element) && element.dataset.box ? element.dataset : null;
  }

  /* A new picture keeps the focus on the box of the same number if it shows the same, else on the
   * first that does, or at least in the graph. */
  refocus({ box, key }) {
    const shows = (name) => this.nodes.get(name)?.dataset.key === key;
    const same = shows(box) ? box : [...this.nodes.keys()].find(shows);
    if (!same) return this.container.focus();
    this.setCurrent(same);
    this.nodes.get(same).focus({ preventScroll: true });
  }

  center(name) {
    const { x, y, width, height } = this.extents.get(name);
    return { x: x + width / 2, y: y + height / 2 };
  }

  /* The nearest node in a direction; what lies straight ahead counts more than what lies aside. */
  neighbour(dx, dy) {
    const from = this.center(this.current);
    let best = null;
    let least = Infinity;
    for (const name of this.nodes.keys()) {
      const to = this.center(name);
      const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead > 4 && ahead + 2 * aside < least) {
        least = ahead + 2 * aside;
        best = name;
      }
    }
    return best;
  }

  reveal(name) {
    const box = this.nodes.get(name).getBoundingClientRect();
    const view = this.container.getBoundingClientRect();
    const shift = (low, high, min, max) => (low < min ? min - low : high > max ? max - high : 0);
    const x = shift(box.left, box.right, view.left + 12, view.right - 12);
    const y = shift(box.top, box.bottom, view.top + 12, view.bottom - 12);
    if (x || y) this.pan(x, y);
  }

  // ---- the transform ----

  apply() {
    const { x, y, k } = this.at;
    this.viewport.setAttribute('transform', `translate(${x} ${y}) scale(${k})`);
  }

  scaleToFit() {
    const { w, h } = this.size;
    return Math.min((w - 32) / this.width, (h - 32) / this.height, 1.5);
  }

  /* In the middle, but no higher than the view's top. */
  topAt(k) {
    return Math.max(16, (this.size.h - this.height * k) / 2);
  }

  place(k) {
    const { w } = this.size;
    if (!this.width || !w) return;
    this.at = { k, x: (w - this.width * k) / 2, y: this.topAt(k) };
    this.apply();
  }

  home() {
    const k = this.scaleToFit();
    if (k >= WHOLE) this.place(k);
    else this.placeTop(READABLE);
  }

  /* The top of the picture: all of its width that has nodes, or else the top row's middle. */
  placeTop(k) {
    const { w, h } = this.size;
    if (!this.nodes.size || !w) return;
    const boxes = [...this.extents.values()];
    const top = boxes.reduce((a, b) => (b.y < a.y ? b : a));
    const seen = boxes.filter((b) => (b.y - top.y) * k < h - 32);
    const left = Math.min(...seen.map((b) => b.x)) * k;
    const right = Math.max(...seen.map((b) => b.x + b.width)) * k;
    const row = boxes.filter((b) => b.y < top.y + top.height / 2);
    const middle = (row.reduce((sum, b) => sum + b.x + b.width / 2, 0) / row.length) * k;
    const x =
      right - left < w - 32
        ? (w - left - right) / 2
        : Math.min(16 - left, Math.max(w - 16 - right, w / 2 - middle));
    this.at = { k, x, y: this.topAt(k) };
    this.apply();
  }

  fit() {
    this.moved = false;
    this.place(Math.max(this.scaleToFit(), 0.02));
  }

  pan(dx, dy) {
    this.moved = true;
    this.at.x += dx;
    this.at.y += dy;
    this.apply();
  }

  /* Around a point of the view, its middle if none is given. */
  zoom(factor, x = this.size.w / 2, y = this.size.h / 2) {
    const k = Math.min(6, Math.max(0.02, this.at.k * factor));
    const ratio = k / this.at.k;
    this.moved = true;
    this.at = { k, x: x - (x - this.at.x) * ratio, y: y - (y - this.at.y) * ratio };
    this.apply();
  }

  // ---- events ----

  listen() {
    const c = this.container;
    c.addEventListener('wheel', (e) => this.onwheel(e), { passive: false });
    c.addEventListener('pointerdown', (e) => this.ondown(e));
    c.addEventListener('pointermove', (e) => this.onmove(e));
    for (const type of ['pointerup', 'pointercancel'])
      c.addEventListener(type, (e) => this.onup(e, type === 'pointercancel'));
    c.addEventListener('pointerover', (e) => this.hover(this.boxAt(e.target)));
    c.addEventListener('pointerleave', () => this.hover(null));
    c.addEventListener('focusin', (e) => this.onfocus(this.boxAt(e.target)));
    c.addEventListener('focusout', () => this.hover(null));
    c.addEventListener('keydown', (e) => this.onkey(e));
  }

  boxAt(target) {
    return target.closest?.('g.node')?.dataset.box ?? null;
  }

  hover(name) {
    this.onhover(name ? (this.boxes[name]?.nodes ?? []) : null);
  }

  onfocus(name) {
    if (!name) return;
    this.setCurrent(name);
    if (!this.pointers.size) this.reveal(name);
    this.hover(name);
  }

  onwheel(e) {
    e.preventDefault();
    const { left, top } = this.container.getBoundingClientRect();
    const lines = e.deltaMode === 1 ? 30 : 1;
    this.zoom(Math.exp(-e.deltaY * lines * 0.0015), e.clientX - left, e.clientY - top);
  }

  ondown(e) {
    if (e.button !== 0) return;
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.travelled = this.pointers.size > 1 ? Infinity : 0;
  }

  onmove(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const [dx, dy] = [e.clientX - last.x, e.clientY - last.y];
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)?.[1];
    if (other) this.pinch(last, e, other);
    else if ((this.travelled += Math.hypot(dx, dy)) > CLICK) {
      if (!this.container.hasPointerCapture(e.pointerId))
        this.container.setPointerCapture(e.pointerId);
      this.pan(dx, dy);
    } else return;
    last.x = e.clientX;
    last.y = e.clientY;
  }

  pinch(last, e, other) {
    const { left, top } = this.container.getBoundingClientRect();
    const before = Math.hypot(last.x - other.x, last.y - other.y);
    const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    if (before > 0) this.zoom(after / before, other.x - left, other.y - top);
  }

  onup(e, cancelled) {
    const pressed = this.pointers.delete(e.pointerId);
    if (!pressed || cancelled || this.travelled > CLICK) return;
    this.onselect(this.boxAt(e.target));
  }

  onkey(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      e.key
    ];
    const onNode = this.boxAt(e.target);
    if (arrow && onNode && !e.shiftKey) {
      const next = this.neighbour(...arrow);
      if (next) this.nodes.get(next).focus({ preventScroll: true });
    } else if (arrow) this.pan(-40 * arrow[0], -40 * arrow[1]);
    else if (e.key === '+' || e.key === '=') this.zoom(1.25);
    else if (e.key === '-') this.zoom(0.8);
    else if (e.key === '0') this.fit();
    else if ((e.key === 'Enter' || e.key === ' ') && onNode) this.onselect(onNode);
    else if (e.key === 'Escape') {
      this.onselect(null);
      if (onNode) this.container.focus();
    } else return;
    e.preventDefault();
  }
}
