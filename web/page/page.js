// The playground: wires the parts together. A change of the text goes to the library; its worker
// hands the graph on to the layout's, figures, values and marks come back at once, and the picture
// follows when it is done. Whatever is older than the newest text is dropped wherever it is.
import examples from 'data:examples';
import challenges from 'data:challenges';
import { $, el } from './dom.js';
import { bare, figure, nodeLabel, namesText, typeText } from './words.js';
import { connect, Overtaken } from './library.js';
import { layouter } from './layout.js';
import { Drawing } from './drawing.js';
import { Notice } from './notice.js';
import { Editor } from './editor.js';
import { GraphView } from './graph.js';
import { showProblems, verdict } from './problems.js';
import { Details } from './details.js';
import { Reference } from './reference.js';
import { Inputs } from './inputs.js';
import { Simplify } from './simplify.js';
import { Challenges } from './challenges.js';
import { decode, download, encode, png } from './share.js';
import { showKey } from './key.js';
import { theme } from './theme.js';
import { tabs } from './tabs.js';

const library = connect({
  renewed: join,
  restarted() {
    leaveSteps();
    analyse();
  },
});
const layout = layouter(join);
join();
const reference = new Reference(library);

const HIDDEN = 'Hidden until the question is answered.';

let generation = 0; // of what is to be shown: the text and its inputs, or a step
let structure = null; // of the newest program without errors: statements, nodes, stats, inputs
let nodes = new Map(); // id → node, of what the graph shows
let values = new Map(); // id → value, bare
let opened = new Set(); // boxes whose runs are unfolded
let selected = null; // { id, name, op, arg } of the node in the details
let stepping = false; // the graph shows a step of the simplifier
let answered = null; // a promise: the library has answered the newest text

/* Graphs go from the library's worker straight to the layout's. */
function join() {
  const { port1, port2 } = new MessageChannel();
  library.join(port1);
  layout.join(port2);
}

// ---- the parts ----

const editor = new Editor($('editor'), {
  change: () => {
    leaveSteps();
    analyse();
  },
  line: (line) => lightNodesOf(line),
  facts: {
    ops: () => reference.completions,
    op: (word) => reference.op(word),
    nodeOf: (name) => {
      const node = nodeNamed(name);
      return node ? { node, value: isHidden() ? undefined : values.get(node.id) } : null;
    },
    typeOf: (name) => (nodeNamed(name) ? typeText(nodeNamed(name)) : ''),
  },
});

const view = new GraphView($('graph'), {
  label: boxLabel,
  onhover: (ids) => lightLinesOf(ids),
  onselect: (name) => select(name),
});

const notice = new Notice($('notice'), $('graph'));

const wholeGraph = () => library.call('graph', { open: [...opened] });

const drawing = new Drawing(layout, view, notice, {
  whole: wholeGraph,
  shown: showPicture,
  settled: () => state('shown'),
});

const details = new Details($('details'));
const inputs = new Inputs($('inputs'), () => {
  leaveSteps();
  analyse();
});

const simplify = new Simplify($('simplify-panel'), {
  start: startSteps,
  step: showStep,
  use: (text) => editor.replace(text),
  close: () => {
    stepping = false;
    stage('');
    analyse();
  },
});

const challengePanel = new Challenges($('challenges'), challenges, {
  load: (text) => load(text),
  check: (challenge, answer) =>
    library
      .call('check', { challenge, text: editor.text, answer })
      .catch((e) => [{ pass: false, message: e.message }]),
  hide: (yes) => {
    document.documentElement.dataset.answers = yes ? 'hidden' : 'shown';
    if (yes) notice.cover(HIDDEN, 'Show anyway', () => challengePanel.on.hide(false));
    else notice.uncover();
  },
});

// ---- from the text to the figures, the values and the picture ----

async function analyse() {
  const mine = ++generation;
  const current = () => mine === generation;
  state('busy');
  try {
    const asked = library.analyse(
      {
        text: editor.text,
        inputs: inputs.given,
        fill: inputs.fill,
        open: [...opened],
        picture: layout.number(),
      },
      (part) => {
        if (current()) showStructure(part);
      },
    );
    answered = asked.catch(() => {});
    const answer = await asked;
    if (!current()) return;
    reference.learn();
    if (!answer.ok) return showErrors(answer.diagnostics);
    const picture = draw(answer.graph, { structure }, current); // it comes after what follows
    showRun(answer.run);
    await picture;
  } catch (error) {
    if (error instanceof Overtaken || !current()) return;
    showFailure(error.message);
  }
}

function showStructure(part) {
  structure = part;
  replaceNodes(part.nodes);
  showFigures(part.stats);
  part.inputs.sort((a, b) => b.kind.localeCompare(a.kind) || a.slot - b.slot); // params first
  inputs.show(part.inputs, nodes);
}

/* Until their picture is there, the boxes of the one before stand for nothing. */
function replaceNodes(list) {
  nodes = new Map(list.map((n) => [n.id, n]));
  values = new Map();
  view.forget();
}

function showFigures({ nodes: count, tree, depth, ops }) {
  const pairs = [
    [count === 1 ? 'node' : 'nodes', [count.toLocaleString('en')]],
    ['as a tree', figure(tree)],
    ['depth', [depth.toLocaleString('en')]],
    [ops === 1 ? 'op' : 'ops', [ops.toLocaleString('en')]],
  ];
  $('figures').replaceChildren(
    ...pairs.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
}

function showRun(run) {
  for (const v of run.values) if (!v.error) values.set(v.node, bare(v.text));
  const problems = [...structure.diagnostics, ...run.diagnostics];
  const failing = (d) => d.code === 'E_ASSERT';
  editor.annotate({
    diagnostics: problems,
    values: run.values
      .filter((v) => !v.error && v.text)
      .map((v) => ({ line: v.line, text: bare(v.text) })),
    marks: [
      ...problems.filter((d) => !failing(d)).map(markOf),
      ...run.asserts.map((a) => ({
        line: a.line,
        kind: a.pass ? 'pass' : 'fail',
        title: a.pass ? 'The assert holds' : a.message,
      })),
    ],
  });
  inputs.report(run, structure.inputs);
  showProblems(problems, run.asserts, goTo);
  if (document.documentElement.dataset.state === 'busy') state('values');
}

const markOf = ({ line, severity, message }) => ({ line, kind: severity, title: message });

function showErrors(diagnostics) {
  editor.annotate({ diagnostics, values: [], marks: diagnostics.map(markOf) });
  showProblems(diagnostics, [], goTo);
  drawing.cancel();
  notice.sayLate(drawing.now ? `The picture is of ${whose(drawing.now.of)}.` : '');
  state('shown');
}

/* A layout that was on its way is dropped for an error: then the picture is older than that. */
function whose({ step, structure: of }) {
  if (step) return 'a step of the simplifier';
  return of === structure ? 'the last program without errors' : 'an earlier program';
}

function showFailure(message) {
  editor.annotate({ diagnostics: [], values: [], marks: [] });
  drawing.cancel();
  notice.say('');
  verdict(message, 'fail');
  state('shown');
}

const goTo = ({ from, to }) => editor.goTo(from, to);

// ---- the picture ----

/* of: { structure } of a program, or { step } of the simplifier. */
function draw(graph, of, current) {
  $('fold').hidden = opened.size === 0;
  return drawing.draw({ graph, of, current });
}

/* There is another picture, or none. */
function showPicture() {
  showKey($('key'), [...view.nodes.values()]);
  if (!drawing.now) return;
  const again = selected && !stepping && sameNode(selected);
  const box = again ? view.boxOf(again) : null;
  if (box) select(box, false);
  else if (selected) select(null);
  if (editor.told) lightNodesOf(editor.told);
}

function isHidden() {
  return notice.covered;
}

/* busy, values (all but the picture is there), shown: for tests and measurements. */
function state(name) {
  document.documentElement.dataset.state = name;
}

const nodeNamed = (name) => {
  const id = structure?.statements.findLast((s) => s.name === name)?.node;
  return structure?.nodes.find((n) => n.id === id) ?? null;
};

/* The id of the node that was selected in the picture before: by its name, or else by its number
 * where that is still a node of the same op and arg, as above what was edited. */
function sameNode({ id, name, op, arg }) {
  if (name) return nodeNamed(name)?.id;
  const node = nodes.get(id);
  return node?.op === op && node.arg === arg ? id : null;
}

/* The nodes that a box stands for, in the order of their lines. */
const membersOf = (name) =>
  (view.boxes[name]?.nodes ?? [])
    .map((id) => nodes.get(id))
    .filter(Boolean)
    .sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));

/* What a screen reader says of a box, beginning with what it shows. */
function boxLabel(name, shown) {
  const box = view.boxes[name];
  const members = membersOf(name);
  if (!members.length) return shown;
  if (!box.folded) return nodeLabel(members[0], shown);
  const names = members.flatMap((n) => n.names);
  const ends =
    names.length > 1 ? `${namesText([names[0]])} to ${namesText(names.slice(-1))}, ` : '';
  return `${shown}, ${ends}${members.length} nodes folded into one; Enter opens them`;
}

async function select(name, ask = true) {
  if (name && !view.boxes[name]) return;
  if (ask && name && view.boxes[name]?.folded) return unfold(name);
  view.select(name);
  const members = name ? membersOf(name) : [];
  const [first] = members;
  selected = first ? { id: first.id, name: first.names[0], op: first.op, arg: first.arg } : null;
  if (!selected) return details.hint();
  if (view.boxes[name].folded) return details.folded(members, () => unfold(name));
  const mine = selected;
  if (ask && first.lines.length) editor.reveal(first.lines[0]);
  const facts = stepping
    ? {}
    : await library.call('facts', { node: selected.id }).catch(() => ({}));
  if (selected !== mine) return;
  details.node(first, { value: values.get(mine.id), ...facts }, reference.op(first.op));
}

function unfold(name) {
  opened.add(name);
  redraw();
}

/* The same program, or the same step, with other runs unfolded. */
function redraw() {
  view.moved = false;
  if (simplify.open) showStep(simplify.k);
  else analyse();
}

// ---- lines and nodes light each other: in a step, a line and what has become of its node ----

function lightLinesOf(ids) {
  view.mark('lit', new Set(ids ?? []));
  editor.light((ids ?? []).flatMap((id) => nodes.get(id)?.lines ?? []));
  if (!ids && editor.told) lightNodesOf(editor.told);
}

function lightNodesOf(line) {
  if ($('graph').classList.contains('stale')) return;
  const ids =
    line === null ? [] : [...nodes.values()].filter((n) => n.lines.includes(line)).map((n) => n.id);
  view.mark('lit', new Set(ids));
}

// ---- simplify ----

async function startSteps() {
  if (isHidden()) return simplify.idle(HIDDEN);
  const mine = generation;
  const current = () => mine === generation; // else the steps would be those of an older text
  try {
    await answered;
    const result = current() && (await library.call('simplify'));
    if (!current()) return;
    if (!result) return simplify.idle('The program has an error; it cannot be simplified.');
    simplify.show(result);
  } catch (error) {
    simplify.idle(error.message);
  }
}

async function showStep(k) {
  const mine = ++generation;
  const current = () => mine === generation;
  state('busy');
  try {
    const step = await library.step({ k, open: [...opened], picture: layout.number() });
    if (!step || !current()) return;
    stepping = true;
    replaceNodes(step.nodes);
    simplify.showText(step.text, k > 0 && !step.changed.length);
    showFigures(step.stats);
    stage(k ? `After step ${k} of ${simplify.steps}` : 'Before the first step');
    editor.light([]);
    select(null);
    await draw(step.graph, { step: true }, current);
    if (current()) view.mark('changed', new Set(k ? step.changed : []));
  } catch (error) {
    if (error instanceof Overtaken) return;
    const { open } = simplify; // else the text is being read already
    leaveSteps();
    simplify.idle(error.message);
    if (open) analyse();
  }
}

/* What the graph shows, where it is not the program. */
function stage(text) {
  $('stage').hidden = !text;
  $('stage').textContent = text;
}

function leaveSteps() {
  if (!simplify.open) return;
  stepping = false;
  stage('');
  simplify.idle();
}

// ---- programs from elsewhere, links and files ----

function load(text, given = []) {
  leaveSteps();
  opened = new Set();
  view.moved = false;
  selected = null;
  inputs.given = given;
  if (text === editor.text) analyse();
  else editor.replace(text);
}

function status(text) {
  $('status').textContent = text;
  clearTimeout(status.timer);
  status.timer = setTimeout(() => {
    $('status').textContent = '';
  }, 6000);
}

async function fromLink() {
  try {
    const program = await decode(location.hash);
    if (!program) return false;
    challengePanel.list();
    load(program.text, program.inputs);
    return true;
  } catch (error) {
    status('The link holds no program that could be read.');
    return false;
  }
}

async function copyLink() {
  history.replaceState(null, '', await encode({ text: editor.text, inputs: inputs.given }));
  try {
    await navigator.clipboard.writeText(location.href);
    status('The link is copied.');
  } catch {
    status('The link is in the address bar.');
  }
}

async function save(as) {
  $('download').open = false;
  if (as === 'uir') return download('program.uir', 'text/plain', editor.text);
  if (isHidden()) return status(HIDDEN);
  if (as === 'dot') {
    const { dot } = drawing.now ?? (stepping ? {} : await wholeGraph());
    if (!dot) return status('There is no picture of this step to save.');
    return download('graph.dot', 'text/vnd.graphviz', dot);
  }
  if (!drawing.now) return status('There is no picture to save.');
  const { svg } = drawing.now;
  if (as === 'svg') return download('graph.svg', 'image/svg+xml', svg);
  download('graph.png', 'image/png', await png(svg));
}

// ---- controls ----

function fillExamples() {
  const menu = $('examples');
  for (const group of new Set(examples.map((e) => e.group)))
    menu.append(
      el(
        'optgroup',
        { label: group },
        examples
          .filter((e) => e.group === group)
          .map((e) => el('option', { value: e.file }, e.title)),
      ),
    );
  menu.addEventListener('change', () => {
    const example = examples.find((e) => e.file === menu.value);
    if (example) {
      challengePanel.list();
      load(example.text, example.inputs);
    }
    menu.value = '';
  });
}

function listen() {
  $('zoom-in').addEventListener('click', () => view.zoom(1.25));
  $('zoom-out').addEventListener('click', () => view.zoom(0.8));
  $('fit').addEventListener('click', () => view.fit());
  $('fold').addEventListener('click', () => {
    opened = new Set();
    redraw();
  });
  $('copy-link').addEventListener('click', copyLink);
  for (const button of document.querySelectorAll('[data-as]'))
    button.addEventListener('click', () => save(button.dataset.as).catch((e) => status(e.message)));
  const menu = $('download');
  document.addEventListener('click', (e) => {
    if (!menu.contains(e.target)) menu.open = false;
  });
  menu.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  addEventListener('hashchange', fromLink);
}

theme($('theme'));
tabs(document.querySelector('[role="tablist"]'));
fillExamples();
listen();
if (!(await fromLink())) load(examples[0].text, examples[0].inputs);
