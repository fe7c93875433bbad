/**
 * The page of the experiments.
 * @module
 */

import { ask, explain, get, job, wasStopped } from './api.js';
import { byId, count, duration, html, notice, number, ready, replace } from './dom.js';
import { State } from './state.js';

/**
 * @typedef {object} StoredReport a report of a stored run
 * @property {string} name
 * @property {string} title
 * @property {string} href
 * @property {number} checks results that were compared with known ones
 * @property {number} agree those of them that agree
 * @property {Run} run
 */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {number} created seconds since 1970
 * @property {string} command
 * @property {string} commit
 * @property {string} processor
 * @property {number} cores
 * @property {string} href
 * @property {StoredReport[]} reports
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
    const parts = data.state === 'waiting' ? ['waiting for other work'] : [data.stage, data.what ?? 'measuring'].filter(Boolean);
    if (data.work) parts.push(`${number(data.work)} steps of work`);
    parts.push(`${duration((performance.now() - began) / 1000)} so far`);
    if (data.seconds_left >= 1) parts.push(`about ${duration(data.seconds_left)} left`);
    if (typeof data.fraction === 'number') bar.value = data.fraction;
    else bar.removeAttribute('value');
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
        lines.append(`${data.title}: ${data.agree} of ${count(data.checks, 'result')} agree\n`);
        lines.scrollTop = lines.scrollHeight;
      },
    });
    await readReports();
    const stored = reports.find((each) => each.run.id === answer.stored) ?? reports.find((each) => each.name === name);
    const agreed = answer.disagreements === 0;
    notice(answerPlace, agreed ? 'good' : 'bad', `${stored?.title ?? name}: finished in ${duration(answer.wall_seconds)}. `,
      agreed ? `${stored?.checks ? `All ${count(stored.checks, 'checked result')}` : 'The checked results'} agree with known ones. ` : `${count(answer.disagreements, 'result')} of it disagree with known ones. `,
      stored ? html('a', { href: stored.href, class: 'button primary' }, 'Read the report') : null);
  } catch (error) {
    notice(answerPlace, wasStopped(error) ? 'info' : 'bad', explain(error));
  } finally {
    clearInterval(clock);
    lock(false);
  }
}

async function listExperiments() {
  const { experiments } = await ask('lab list', {});
  replace(byId('experiments'), experiments.map((/** @type {any} */ each) => html('li', {},
    html('div', {}, html('h3', { id: `name-${each.name}` }, sentence(each.about)), html('p', { class: 'small muted mono' }, each.name)),
    html('div', { class: 'toolbar served' },
      html('button', { type: 'button', class: 'primary', 'aria-describedby': `name-${each.name}`, onclick: () => run(each.name, true) }, 'Run', each.quick_seconds ? ` (${duration(each.quick_seconds)})` : ' quick'),
      html('button', { type: 'button', 'aria-describedby': `name-${each.name}`, onclick: () => run(each.name, false) }, 'In full', each.full_seconds ? ` (${duration(each.full_seconds)})` : '')))));
}

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** @param {Run} run */
const made = (run) => new Date(run.created * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {StoredReport} report */
const label = (report) => `${report.name}, ${made(report.run)}`;

async function readReports() {
  const runs = /** @type {Run[]} */ (await get('/lab/reports'));
  reports = runs.flatMap((run) => run.reports.map((report) => ({ ...report, run })));
  byId('no-reports').hidden = reports.length > 0;
  byId('compare').hidden = reports.length < 2;
  replace(byId('reports'), reports.length === 0 ? null : html('table', {},
    html('thead', {}, html('tr', {}, ['Report', 'Checked', 'Made', 'Machine'].map((head) => html('th', { scope: 'col' }, head)))),
    html('tbody', {}, reports.map((report) => html('tr', {},
      html('td', {}, html('a', { href: report.href }, report.title), html('div', { class: 'small muted mono' }, report.run.command)),
      html('td', {}, report.checks === 0 ? '' : report.agree === report.checks
        ? html('span', { class: 'tag good' }, `✓ ${report.checks} agree`)
        : html('span', { class: 'tag bad' }, `✕ ${report.checks - report.agree} of ${report.checks} disagree`)),
      html('td', { class: 'numbers' }, made(report.run)),
      html('td', { class: 'small muted' }, `${report.run.processor}, ${count(report.run.cores, 'core')}`, report.run.commit ? `, commit ${report.run.commit.slice(0, 9)}` : ''))))));
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
ready();
try {
  await Promise.all([listExperiments(), readReports()]);
  showPair();
} catch (error) {
  notice(answerPlace, 'bad', explain(error));
}
