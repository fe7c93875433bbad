/**
 * The page of the experiments.
 * @module
 */

import { ApiError, ask, explain, get, job } from './api.js';
import { byId, duration, html, notice, number, replace } from './dom.js';
import { State } from './state.js';

/**
 * @typedef {object} StoredReport
 * @property {string} name
 * @property {string} title
 * @property {string} href
 * @property {boolean} [quick]
 * @property {number} [when] seconds since 1970
 * @property {number} [seconds]
 * @property {number} [checks]
 * @property {number} [disagreements]
 * @property {string} [summary]
 * @property {string} [commit]
 */

const state = new State({ left: '', right: '' });
const answerPlace = byId('lab-answer');
/** @type {AbortController | undefined} */
let current;
/** @type {StoredReport[]} */
let reports = [];

/** @param {boolean} busy */
function lock(busy) {
  for (const each of document.querySelectorAll('.experiments button')) each.toggleAttribute('disabled', busy);
  byId('running').hidden = !busy;
}

/** @param {string} name @param {boolean} quick */
async function run(name, quick) {
  current = new AbortController();
  lock(true);
  notice(answerPlace, 'info', '');
  byId('running-title').textContent = `${name}, ${quick ? 'quick' : 'in full'}`;
  const bar = byId('running-bar', HTMLProgressElement);
  bar.removeAttribute('value');
  const text = byId('running-state');
  const lines = byId('running-lines');
  lines.hidden = true;
  lines.textContent = '';
  const began = performance.now();
  byId('running').scrollIntoView({ block: 'nearest' });
  const show = (/** @type {any} */ data) => {
    const parts = [data.state === 'waiting' ? 'waiting for other work' : (data.stage ?? data.what ?? 'measuring')];
    if (typeof data.done === 'number' && data.total) parts.push(`${number(data.done)} of ${number(data.total)}`);
    parts.push(`${duration((performance.now() - began) / 1000)} so far`);
    if (typeof data.seconds_left === 'number') parts.push(`about ${duration(data.seconds_left)} left`);
    if (typeof data.fraction === 'number') bar.value = data.fraction;
    text.textContent = parts.join(' · ');
  };
  show({});
  const clock = setInterval(() => !text.textContent?.includes('left') && show(last), 1000);
  let last = /** @type {any} */ ({});
  try {
    const answer = await job('lab run', { name, quick }, {
      signal: current.signal,
      progress: (data) => show((last = data)),
      line: (data) => {
        lines.hidden = false;
        lines.append(`${typeof data === 'string' ? data : (data.text ?? Object.values(data).join('  '))}\n`);
        lines.scrollTop = lines.scrollHeight;
      },
    });
    await readReports();
    const [report] = answer.experiments ?? [];
    const checks = Array.isArray(report?.checks) ? report.checks.length : (report?.checks ?? 0);
    const agreed = answer.disagreements === 0;
    const stored = reports.find((each) => each.name === name);
    notice(answerPlace, agreed ? 'good' : 'bad', `${report?.title ?? name}: finished in ${duration(answer.wall_seconds)}. `,
      checks ? (agreed ? `All ${checks} results agree with known ones. ` : `${answer.disagreements} of ${checks} results disagree with known ones. `) : '',
      stored ? html('a', { href: stored.href, class: 'button primary' }, 'Read the report') : null);
  } catch (error) {
    notice(answerPlace, error instanceof ApiError && error.kind === 'stopped' ? 'info' : 'bad', explain(error));
  } finally {
    clearInterval(clock);
    lock(false);
  }
}

async function listExperiments() {
  const { experiments } = await ask('lab list', {});
  replace(byId('experiments'), experiments.map((/** @type {any} */ each) => html('li', {},
    html('div', {}, html('h3', { id: `name-${each.name}` }, sentence(each.about)), html('p', { class: 'small muted mono' }, each.name)),
    html('div', { class: 'toolbar' },
      html('button', { type: 'button', class: 'primary', 'aria-describedby': `name-${each.name}`, onclick: () => run(each.name, true) }, 'Run', each.quick_seconds ? ` (${duration(each.quick_seconds)})` : ' quick'),
      html('button', { type: 'button', 'aria-describedby': `name-${each.name}`, onclick: () => run(each.name, false) }, 'In full', each.full_seconds ? ` (${duration(each.full_seconds)})` : '')))));
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** @param {StoredReport} report */
const label = (report) => `${report.name}${report.quick ? ' (quick)' : ''}${report.when ? `, ${new Date(report.when * 1000).toLocaleString()}` : ''}`;

async function readReports() {
  try {
    const answer = await get('/lab/reports');
    reports = Array.isArray(answer) ? answer : (answer.reports ?? []);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    reports = [];
  }
  byId('no-reports').hidden = reports.length > 0;
  byId('compare').hidden = reports.length < 2;
  replace(byId('reports'), reports.length === 0 ? null : html('table', {},
    html('thead', {}, html('tr', {}, ['Report', 'Finding', 'Checked', 'Made'].map((head) => html('th', { scope: 'col' }, head)))),
    html('tbody', {}, reports.map((report) => html('tr', {},
      html('td', {}, html('a', { href: report.href }, report.title || report.name), report.quick ? [' ', html('span', { class: 'tag' }, 'quick')] : null),
      html('td', {}, report.summary ?? ''),
      html('td', {}, report.disagreements ? html('span', { class: 'tag bad' }, `✕ ${report.disagreements} disagree`) : report.checks ? html('span', { class: 'tag good' }, `✓ ${report.checks} agree`) : ''),
      html('td', { class: 'numbers' }, report.when ? new Date(report.when * 1000).toLocaleString() : ''))))));
  for (const id of ['left', 'right']) {
    replace(byId(id), reports.map((report) => html('option', { value: report.href }, label(report))));
  }
  if (reports[1]) byId('right', HTMLSelectElement).value = reports[1].href;
}

/** Shows two reports of the address beside each other. */
function showPair() {
  const { left, right } = state.values;
  const chosen = [left, right].map((id) => reports.find((report) => report.href === id));
  const pair = byId('pair');
  pair.hidden = chosen.some((report) => !report);
  replace(pair, pair.hidden ? null : chosen.map((report) => report && html('iframe', { src: report.href, title: label(report) })));
  if (left) byId('left', HTMLSelectElement).value = left;
  if (right) byId('right', HTMLSelectElement).value = right;
}

byId('stop').addEventListener('click', () => current?.abort());
byId('compare', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  state.set({ left: byId('left', HTMLSelectElement).value, right: byId('right', HTMLSelectElement).value }, 'push');
  showPair();
  byId('pair').scrollIntoView({ block: 'start' });
});
state.onReturn(showPair);
try {
  await Promise.all([listExperiments(), readReports()]);
  showPair();
} catch (error) {
  notice(answerPlace, 'bad', explain(error));
}
