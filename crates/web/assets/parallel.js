/**
 * The page of parallel search: one position searched by each strategy, with a live timeline of the threads.
 * @module
 */

import { cancelCurrent, explain, job } from './api.js';
import { diagram } from './chess/board.js';
import { parseFen, START } from './chess/fen.js';
import { percent, timeline } from './chess/timeline.js';
import { announce, byId, count, html, notice, number, ready, replace } from './dom.js';
import { State } from './state.js';

/**
 * @typedef {import('./chess/timeline.js').Worker} Worker
 * @typedef {import('./chess/timeline.js').Sample} Sample
 *
 * @typedef {object} Search the result of a strategy
 * @property {string} strategy
 * @property {number} threads
 * @property {number} depth
 * @property {number} seconds to the depth of the comparison
 * @property {number} nodes
 * @property {number | null} speedup
 * @property {number | null} node_ratio
 * @property {string | null} best
 * @property {string | null} score
 * @property {Worker[]} workers
 */

/** Names, and what the threads do. @type {Record<string, [string, string]>} */
const STRATEGIES = {
  Sequential: ['One thread', 'A single thread searches alone. The others are measured against it.'],
  RootSplitting: ['Root splitting', 'Each thread takes the next move of the position itself; the best value found so far is shared.'],
  YBWC: ['Young Brothers Wait', 'Once the first move of a position is searched, waiting threads join and share the other moves.'],
  ABDADA: ['ABDADA', 'All threads search the same tree; a move that another thread is searching is put off.'],
  LazySMP: ['Lazy SMP', 'All threads search the same tree at different depths and share only what they found, in one table.'],
};
const PARALLEL = ['RootSplitting', 'YBWC', 'ABDADA', 'LazySMP'];

/** @type {[string, string][]} */
const POSITIONS = [
  ['Middlegame', 'r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/2PBPN2/PP1N1PPP/R1BQ1RK1 w - - 0 8'],
  ['Attack', 'r2q1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 0 10'],
  ['Opening', START],
  ['Endgame', '8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P4P1/5K2/8 w - - 0 40'],
];
const FIRST = POSITIONS[0]?.[1] ?? START;
const CORES = Math.max(2, Math.min(4, navigator.hardwareConcurrency || 2));

const state = new State({ fen: FIRST, threads: CORES, time: 2, strategies: PARALLEL.join(',') });
const input = (/** @type {string} */ id) => byId(id, HTMLInputElement);

/** A card of a search. */
class Card {
  /** @type {Sample[]} */
  samples = [];
  /** @type {import('./chess/timeline.js').Iteration[]} */
  iterations = [];
  /** @type {Search | null} */
  result = null;
  threads = 1;
  seconds = 0;
  nodes = 0;
  running = false;

  /** @param {string} strategy */
  constructor(strategy) {
    this.strategy = strategy;
    const [name, text] = STRATEGIES[strategy] ?? [strategy, ''];
    this.facts = html('dl', { class: 'search-facts' });
    this.line = html('div', { class: 'timeline-place' });
    this.bar = html('div', { class: 'speed' });
    this.more = html('table', { class: 'small threads-table' });
    this.element = html('section', { class: 'panel search-card', 'aria-label': name, 'data-strategy': strategy },
      html('h2', {}, name), html('p', { class: 'small muted' }, text), this.facts, this.bar, this.line,
      html('details', {}, html('summary', {}, 'Each thread'), html('div', { class: 'scroll' }, this.more)));
  }

  /** @param {number} span seconds of the timeline */
  draw(span) {
    const depth = this.result?.depth ?? this.iterations[this.iterations.length - 1]?.depth ?? 0;
    const rate = this.seconds > 0 ? this.nodes / this.seconds : 0;
    this.element.classList.toggle('running', this.running);
    this.element.classList.toggle('waiting', !this.running && !this.result);
    const values = /** @type {[string, string][]} */ ([
      ['depth', depth ? String(depth) : '·'],
      ['positions', this.nodes ? short(this.nodes) : '·'],
      ['a second', rate ? short(rate) : '·'],
      ['seconds', this.seconds ? this.seconds.toFixed(2) : '·'],
    ]);
    replace(this.facts, values.map(([name, value]) => html('div', {}, html('dt', {}, name), html('dd', {}, value))));
    replace(this.line, timeline(this.samples, this.iterations, span, this.threads));
    this.#drawSpeed();
    const workers = this.result?.workers ?? this.samples[this.samples.length - 1]?.workers ?? [];
    const total = this.samples[this.samples.length - 1]?.seconds ?? this.seconds;
    replace(this.more,
      html('thead', {}, html('tr', {}, ['thread', 'positions', 'offered', 'joined', 'waited'].map((name, i) => html('th', { class: i ? 'right' : null, scope: 'col' }, name)))),
      html('tbody', {}, workers.map((worker, i) => html('tr', {}, [String(i + 1), number(worker.nodes), number(worker.opened), number(worker.joined), percent(worker.idle_seconds, total)]
        .map((text, column) => html('td', { class: column ? 'right' : null }, text))))));
  }

  #drawSpeed() {
    const speed = this.result?.speedup;
    if (!this.result) replace(this.bar, this.running ? html('span', { class: 'tag warn' }, 'searching') : html('span', { class: 'muted small' }, 'waits for its turn'));
    else if (speed === null || speed === undefined) replace(this.bar, html('span', { class: 'tag warn' }, 'did not reach the depth in time'));
    else replace(this.bar, html('b', { class: 'speed-value' }, `${speed.toFixed(2)} ×`), html('span', { class: 'muted small' }, this.strategy === 'Sequential' ? ' the measure' : ' as fast as one thread'));
  }
}

/** A large number in three digits: 1.23 M. @param {number} value */
function short(value) {
  if (value >= 1e9) return `${(value / 1e9).toPrecision(3)} G`;
  if (value >= 1e6) return `${(value / 1e6).toPrecision(3)} M`;
  if (value >= 1e3) return `${(value / 1e3).toPrecision(3)} k`;
  return value.toFixed(0);
}

/** @type {Map<string, Card>} */
let cards = new Map();

/** The strategies that were chosen. */
function chosen() {
  return PARALLEL.filter((name) => state.values.strategies.split(',').includes(name));
}

/** Seconds of all timelines: those of one thread, or more if a search took longer. */
function span() {
  return Math.max(0.5, ...[...cards.values()].map(({ seconds, samples }) => Math.max(seconds, samples[samples.length - 1]?.seconds ?? 0)));
}

function drawAll() {
  const width = span();
  for (const card of cards.values()) card.draw(width);
}

/** Shows empty cards for the strategies that were chosen. */
function prepare() {
  cards = new Map(['Sequential', ...chosen()].map((name) => [name, new Card(name)]));
  for (const card of cards.values()) card.threads = card.strategy === 'Sequential' ? 1 : state.values.threads;
  replace(byId('searches'), [...cards.values()].map((card) => card.element));
  drawAll();
}

let frame = 0;

/** Draws before the next picture of the screen, once for many events. */
function drawSoon() {
  if (frame) return;
  frame = requestAnimationFrame(() => {
    frame = 0;
    drawAll();
  });
}

/** Takes an event of the comparison. @param {any} update */
function take(update) {
  const card = cards.get(update.strategy ?? update.search?.strategy);
  if (!card) return;
  if (update.event === 'start') {
    card.running = true;
    card.threads = update.threads;
    byId('state').textContent = `Searching: ${STRATEGIES[card.strategy]?.[0]} (${update.number + 1} of ${update.searches})`;
  } else if (update.event === 'threads') {
    card.samples.push({ seconds: update.seconds, workers: update.workers });
    card.seconds = update.seconds;
    card.nodes = update.nodes;
  } else if (update.event === 'iteration') {
    card.iterations.push({ seconds: update.seconds, depth: update.depth });
    card.seconds = Math.max(card.seconds, update.seconds);
    card.nodes = Math.max(card.nodes, update.nodes);
  } else if (update.event === 'end') {
    card.running = false;
    card.result = update.search;
    card.seconds = update.search.seconds;
    card.nodes = update.search.nodes;
  }
  drawSoon();
}

/** @param {{ positions: { depth: number }[], threads: number, searches: Search[] }} answer */
function summarize({ positions, threads, searches }) {
  const depth = positions[0]?.depth ?? 0;
  byId('summary').hidden = false;
  byId('goal').textContent = String(depth);
  const parallel = searches.filter(({ strategy, speedup }) => strategy !== 'Sequential' && typeof speedup === 'number');
  const [best] = [...parallel].sort((a, b) => (b.speedup ?? 0) - (a.speedup ?? 0));
  const words = (/** @type {Search} */ { strategy, speedup, node_ratio: ratio }) => {
    const [name, speed] = [STRATEGIES[strategy]?.[0], speedup ?? 1];
    if (speed <= 1) return `None was faster than one thread in this run; ${name} came nearest (${speed.toFixed(2)} ×).`;
    return `${name} was the fastest here: depth ${depth} with ${count(threads, 'thread')} ${speed.toFixed(2)} times as fast as with one, searching ${(ratio ?? 1).toFixed(2)} times as many positions.`;
  };
  const text = best ? words(best) : 'No parallel search reached the depth in time.';
  byId('finding').textContent = text;
  byId('state').textContent = 'Done';
  announce(text);
  for (const card of cards.values()) card.element.classList.toggle('best', card.strategy === best?.strategy && (best.speedup ?? 0) > 1);
  replace(byId('rows'), searches.map((each) => html('tr', { class: each === best ? 'best-row' : null },
    html('th', { scope: 'row' }, STRATEGIES[each.strategy]?.[0] ?? each.strategy),
    html('td', { class: 'right' }, String(each.threads)),
    html('td', { class: 'right' }, each.seconds.toFixed(2)),
    html('td', { class: 'right' }, each.speedup === null ? 'not reached' : `${each.speedup.toFixed(2)} ×`),
    html('td', { class: 'right' }, number(each.nodes)),
    html('td', { class: 'right' }, each.node_ratio === null ? '' : `${each.node_ratio.toFixed(2)} ×`),
    html('td', {}, `${each.best ?? ''} ${each.score ?? ''}`))));
}

/** Starts the comparison. */
async function start() {
  const { fen, threads, time } = state.values;
  prepare();
  byId('summary').hidden = true;
  byId('legend').hidden = false;
  notice(byId('fault'), 'bad', '');
  byId('state').textContent = 'Waiting …';
  running(true);
  try {
    const request = { fen, strategies: chosen(), time };
    summarize(await job('chess compare', request, { threads, line: take }));
  } catch (error) {
    byId('state').textContent = '';
    notice(byId('fault'), 'bad', explain(error));
  } finally {
    for (const card of cards.values()) card.running = false;
    drawAll();
    running(false);
  }
}

/** @param {boolean} on */
function running(on) {
  byId('stop').hidden = !on;
  byId('start', HTMLButtonElement).disabled = on;
}

/** Shows the settings that the address holds. */
function showSettings() {
  const { fen, threads, time } = state.values;
  input('fen').value = fen;
  input('threads').value = String(threads);
  input('time').value = String(time);
  const names = chosen();
  for (const box of byId('strategies').querySelectorAll('input')) box.checked = names.includes(box.value);
  let known = false;
  for (const radio of byId('positions').querySelectorAll('input')) {
    radio.checked = radio.value === fen;
    known ||= radio.checked;
  }
  if (!known) byId('own', HTMLDetailsElement).open = true;
}

replace(byId('positions'), POSITIONS.map(([name, fen]) =>
  html('label', {}, html('input', { type: 'radio', name: 'position', value: fen, onchange: () => (state.set({ fen }), showSettings()) }), diagram(fen, `${name}`), html('span', {}, name))));
for (const each of byId('positions').querySelectorAll('.diagram')) {
  each.removeAttribute('role');
  each.removeAttribute('aria-label');
  each.setAttribute('aria-hidden', 'true');
}
replace(byId('strategies'), PARALLEL.map((name) => html('label', { class: 'check', title: STRATEGIES[name]?.[1] }, html('input', {
  type: 'checkbox',
  value: name,
  onchange: () => {
    const boxes = [...byId('strategies').querySelectorAll('input')];
    state.set({ strategies: boxes.filter((box) => box.checked).map((box) => box.value).join(',') });
    if (byId('stop').hidden) prepare();
  },
}), STRATEGIES[name]?.[0])));
input('fen').addEventListener('change', () => {
  const fen = input('fen').value.trim().replaceAll('_', ' ');
  const good = parseFen(fen) !== null;
  input('fen').setAttribute('aria-invalid', String(!good));
  if (good) state.set({ fen });
});
input('threads').addEventListener('change', () => {
  state.set({ threads: Math.max(2, Math.min(64, Math.floor(Number(input('threads').value)) || 2)) });
  showSettings();
  if (byId('stop').hidden) prepare();
});
input('time').addEventListener('change', () => {
  state.set({ time: Math.max(0.5, Math.min(60, Number(input('time').value) || 2)) });
  showSettings();
});
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  if (chosen().length === 0) notice(byId('fault'), 'bad', 'Choose at least one way to share the work.');
  else start();
});
byId('stop').addEventListener('click', cancelCurrent);
state.onReturn(showSettings);
showSettings();
prepare();
ready();
