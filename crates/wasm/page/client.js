/**
 * Questions of a page that is its own server: two workers answer, one what is asked at once, one long work.
 * @module
 */

/**
 * @typedef {object} Question
 * @property {string} command
 * @property {object} request
 * @property {AbortSignal | undefined} signal
 * @property {((name: string, data: any) => void) | undefined} event
 * @property {(answer: any) => void} resolve
 * @property {(problem: any) => void} reject
 */

/** How long an answer that nobody wants any more may take, in milliseconds, before its worker is ended. */
const PATIENCE = 300;

/** The program, compiled once for all workers. @type {Promise<WebAssembly.Module> | undefined} */
let compiled;

/** @returns {Promise<WebAssembly.Module>} */
async function compile() {
  const response = await fetch(new URL('everymove.wasm.gz', import.meta.url));
  if (!response.ok || !response.body) throw new Error('the program of this page could not be loaded');
  const bytes = response.body.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { 'content-type': 'application/wasm' } }));
}

/** A worker and the questions that wait for it. */
class WorkerQueue {
  constructor() {
    /** @type {Question[]} */
    this.waiting = [];
    /** @type {Question | undefined} */
    this.current = undefined;
    /** @type {Worker | undefined} */
    this.worker = undefined;
    this.number = 0;
  }

  /**
   * @param {string} command
   * @param {object} request
   * @param {{ signal?: AbortSignal | undefined, event?: (name: string, data: any) => void }} [how]
   * @returns {Promise<any>} the answer; rejected with a problem as a server has it, or the reason of the signal
   */
  ask(command, request, { signal, event } = {}) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      /** @type {Question} */
      const question = { command, request, signal, event, resolve, reject };
      signal?.addEventListener('abort', () => this.drop(question), { once: true });
      this.waiting.push(question);
      this.next();
      return undefined;
    });
  }

  /** Nobody wants this answer any more. @param {Question} question */
  drop(question) {
    question.reject(question.signal?.reason);
    this.waiting = this.waiting.filter((each) => each !== question);
    if (this.current === question) setTimeout(() => this.current === question && this.end(), PATIENCE);
  }

  /** Ends the worker with what it does. */
  end() {
    this.worker?.terminate();
    this.worker = undefined;
    this.current = undefined;
    this.next();
  }

  async next() {
    const question = this.current ? undefined : this.waiting.shift();
    if (!question) return;
    this.current = question;
    try {
      const module = await (compiled ??= compile());
      if (this.current !== question) return;
      if (!this.worker) {
        this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
        this.worker.onmessage = ({ data }) => this.heard(data);
        this.worker.onerror = () => this.heard({ number: this.number, broken: 'the worker could not be started' });
        this.worker.postMessage({ module });
      }
    } catch (error) {
      compiled = undefined;
      this.current = undefined;
      question.reject({ type: '/problems/internal', detail: error instanceof Error ? error.message : String(error) });
      this.next();
      return;
    }
    this.number += 1;
    this.worker.postMessage({ number: this.number, command: question.command, request: question.request });
  }

  /** @param {{ number: number, event?: string, data?: any, answer?: any, problem?: any, broken?: string }} message */
  heard({ number, event, data, answer, problem, broken }) {
    const question = this.current;
    if (!question || number !== this.number) return;
    if (event) {
      if (!question.signal?.aborted) question.event?.(event, data);
      return;
    }
    if (broken) question.reject({ type: '/problems/memory', detail: `the page ran out of memory, or its program failed (${broken})` });
    else if (problem) question.reject(problem);
    else question.resolve(answer);
    if (broken) return this.end();
    this.current = undefined;
    this.next();
  }
}

const direct = new WorkerQueue();
const long = new WorkerQueue();

/**
 * @param {string} command
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function ask(command, request, signal) {
  return command === 'lab list' ? recorded('lab/list.json') : direct.ask(command, request, { signal });
}

/**
 * @param {string} command
 * @param {object} request
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} event
 * @returns {Promise<any>}
 */
export function job(command, request, signal, event) {
  if (command === 'chess compare') return replay(request, signal, event);
  return long.ask(command, request, { signal, event });
}

/** What a server answers to GET. @param {string} path @returns {Promise<any>} */
export function get(path) {
  if (path === '/lab/reports') return recorded('lab/reports.json');
  const { pathname, searchParams } = new URL(path, location.href);
  return direct.ask(pathname.slice(1), Object.fromEntries(searchParams));
}

/** A file that was made with the site. @param {string} name @returns {Promise<any>} */
async function recorded(name) {
  const response = await fetch(new URL(`../../${name}`, import.meta.url));
  if (!response.ok) throw { type: '/problems/not-found', detail: 'this site was made without it' };
  return response.json();
}

/**
 * A comparison of searches that was made with the site, in the time that it took.
 * @param {any} request
 * @param {AbortSignal} signal
 * @param {(name: string, data: any) => void} event
 */
async function replay({ fen, strategies }, signal, event) {
  const runs = /** @type {any[]} */ (await recorded('parallel.json'));
  const run = runs.find((each) => each.fen === fen);
  if (!run) throw { type: '/problems/input', field: 'fen', detail: 'this page has recorded runs of the positions above; other positions need a server' };
  const wanted = (/** @type {string} */ name) => name === 'Sequential' || strategies.includes(name);
  let strategy = '';
  let [now, shown] = [0, 0];
  for (const { at, line } of run.lines) {
    strategy = line.strategy ?? line.search?.strategy ?? strategy;
    const passed = at - now;
    now = at;
    if (!wanted(strategy)) continue;
    shown += passed;
    if (passed > 5) await new Promise((resolve) => setTimeout(resolve, passed));
    signal.throwIfAborted();
    event('line', line);
  }
  return { ...run.answer, searches: run.answer.searches.filter((/** @type {any} */ each) => wanted(each.strategy)) };
}

navigator.serviceWorker?.register(new URL('../../offline.js', import.meta.url)).catch(() => undefined);
