/**
 * What each thread of a search does over time.
 * @module
 */

import { svg } from '../dom.js';

/**
 * @typedef {object} Worker what a thread did up to a moment
 * @property {number} nodes
 * @property {number} opened split points: positions offered to other threads
 * @property {number} joined split points of other threads
 * @property {number} idle_seconds
 * @property {boolean} idle
 *
 * @typedef {{ seconds: number, workers: Worker[] }} Sample
 * @typedef {{ seconds: number, depth: number }} Iteration
 */

const WIDTH = 600;
const LANE = 20;
const TOP = 20;

/**
 * Draws a lane for each thread: dark while it searches, pale while it waits.
 * @param {Sample[]} samples
 * @param {Iteration[]} iterations
 * @param {number} span seconds of the whole width
 * @param {number} threads
 */
export function timeline(samples, iterations, span, threads) {
  const x = (/** @type {number} */ seconds) => Math.min(WIDTH, (seconds / span) * WIDTH);
  const parts = [];
  for (let thread = 0; thread < threads; thread += 1) {
    const y = TOP + thread * LANE;
    parts.push(svg('rect', { x: 0, y, width: WIDTH, height: LANE - 4, class: 'lane' }));
    let [time, idle] = [0, 0];
    for (const sample of samples) {
      const worker = sample.workers[thread];
      if (!worker || sample.seconds <= time) continue;
      const length = sample.seconds - time;
      const waited = Math.max(0, Math.min(1, (worker.idle_seconds - idle) / length));
      const [from, to] = [x(time), x(sample.seconds)];
      const height = (LANE - 4) * (1 - waited);
      parts.push(svg('rect', { x: from, y, width: to - from, height: LANE - 4, class: 'idle' }));
      if (height > 0.2) parts.push(svg('rect', { x: from, y: y + LANE - 4 - height, width: to - from + 0.3, height, class: 'busy' }));
      [time, idle] = [sample.seconds, worker.idle_seconds];
    }
  }
  let last = -40;
  for (const { seconds, depth } of iterations) {
    const at = x(seconds);
    parts.push(svg('path', { d: `M${at} ${TOP - 5}V${TOP + threads * LANE - 4}`, class: 'iteration' }));
    if (at - last < 22 || at > WIDTH - 4) continue;
    last = at;
    parts.push(svg('text', { x: at, y: TOP - 8, class: 'iteration-text' }, String(depth)));
  }
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${TOP + threads * LANE}`, class: 'timeline', role: 'img', 'aria-label': inWords(samples) }, parts);
}

/** @param {Sample[]} samples */
function inWords(samples) {
  const last = samples[samples.length - 1];
  if (!last) return 'Timeline of the threads, empty';
  const shares = last.workers.map((worker, i) => `thread ${i + 1} waited ${percent(worker.idle_seconds, last.seconds)}`);
  return `Timeline of the threads: ${shares.join(', ')}`;
}

/** @param {number} part @param {number} whole */
export function percent(part, whole) {
  return `${whole > 0 ? Math.round((100 * part) / whole) : 0} %`;
}
