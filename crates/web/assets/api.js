/**
 * The requests and answers of the server, `/api/v1`, as docs/schema.json describes them.
 * @module
 */

const ROOT = '/api/v1';

/** Answers in the page itself, of a site without a server; null where a server answers. */
const local = document.documentElement.dataset.local === undefined ? null : await import(new URL('local/client.js', import.meta.url).href);

/** The address of another page. @param {string} name */
export const place = (name) => (local ? `${name}.html` : name);

/**
 * An error of the server (problem+json, RFC 9457), or of the way to it.
 */
export class ApiError extends Error {
  /**
   * @param {string} message in one sentence
   * @param {{ status?: number, field?: string | null, retryAfter?: number | null, kind?: string | null }} [facts]
   */
  constructor(message, facts = {}) {
    super(message);
    this.name = 'ApiError';
    /** HTTP status; 0 where no answer came. */
    this.status = facts.status ?? 0;
    /** The field of the request at fault, where one is. @type {string | null} */
    this.field = facts.field ?? null;
    /** Seconds after which a busy server may be asked again. @type {number | null} */
    this.retryAfter = facts.retryAfter ?? null;
    /** The last word of the problem's type: `input`, `memory`, `busy`, `stopped`, `time-limit`. @type {string | null} */
    this.kind = facts.kind ?? null;
  }
}

/**
 * @param {any} problem the body of a problem+json
 * @param {number} status
 * @param {number | null} retryAfter
 */
function asError(problem, status, retryAfter = null) {
  const text = problem?.detail ?? problem?.error ?? problem?.title ?? `the server answered ${status}`;
  const kind = /\/problems\/(.+)$/.exec(problem?.type ?? '')?.[1] ?? null;
  return new ApiError(String(text), { status, field: problem?.field, retryAfter, kind });
}

/** Throws what a page without a server was refused. @param {any} problem @returns {never} */
function fail(problem) {
  throw problem?.detail ? asError(problem, 0) : problem;
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>}
 */
async function exchange(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError('the server does not answer; is "everymove serve" still running?');
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  const retry = Number(response.headers.get('retry-after'));
  throw asError(body, response.status, retry > 0 ? retry : null);
}

/**
 * @param {unknown} request
 * @param {AbortSignal} [signal]
 * @returns {RequestInit}
 */
function post(request, signal) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) };
  return signal ? { ...init, signal } : init;
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

/**
 * Asks a question that is answered at once: `ask('tours find', { board: '8x8', closed: true })`. A busy server is asked
 * again up to three times after the pause that it names.
 * @param {string} command the command of the terminal
 * @param {object} request its fields; what is left out has its default
 * @param {AbortSignal} [signal] stops the work on the server too
 * @param {number} [threads] default: one
 * @returns {Promise<any>} the answer, with its work and cost
 * @throws {ApiError}
 */
export function ask(command, request, signal, threads) {
  return local ? local.ask(command, request, signal).catch(fail) : insist(`${ROOT}/${command.replaceAll(' ', '/')}${threads ? `?threads=${threads}` : ''}`, request, signal);
}

/**
 * Posts a request, again where the server is busy.
 * @param {string} path
 * @param {object} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function insist(path, request, signal) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await exchange(path, post(request, signal));
    } catch (error) {
      const busy = error instanceof ApiError && error.status === 503 && error.kind !== 'stopped' && tries < 3;
      if (!busy) throw error;
      await pause(Math.min(error.retryAfter ?? 1, 5) * 1000, signal);
    }
  }
}

/**
 * Gets JSON from an address of the API: `get('/lab/reports')`.
 * @param {string} path below `/api/v1`
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 * @throws {ApiError}
 */
export function get(path, signal) {
  return local ? local.get(path).catch(fail) : exchange(ROOT + path, signal ? { signal } : {});
}

/**
 * What the endgame tables say of a position, as the public Lichess service does.
 * @param {string} fen
 * @returns {Promise<any>}
 * @throws {ApiError}
 */
export async function standard(fen) {
  const address = `/standard?fen=${encodeURIComponent(fen.replaceAll(' ', '_'))}`;
  if (local) return local.get(address).catch(fail);
  const response = await fetch(address).catch(() => {
    throw new ApiError('the server does not answer; is "everymove serve" still running?');
  });
  if (response.ok) return response.json();
  const text = await response.text();
  let detail = text.trim();
  if (detail.startsWith('{')) detail = JSON.parse(detail).detail ?? detail;
  throw new ApiError(detail || `the server answered ${response.status}`, { status: response.status, field: 'fen' });
}

/**
 * @typedef {object} Progress state of a job, as far as its work knows it
 * @property {string} [state] `waiting` while other jobs are before it
 * @property {string} [stage]
 * @property {string} [what] what is counted
 * @property {number} [done]
 * @property {number | null} [total]
 * @property {number | null} [fraction] from 0 to 1
 * @property {number | null} [seconds_left] an estimate
 * @property {number} [work] states visited so far
 */

/**
 * @typedef {object} JobListeners
 * @property {(progress: Progress) => void} [progress]
 * @property {(line: any) => void} [line] a line of a search
 * @property {(name: string, data: any) => void} [event] every event but `done`, the two above included
 * @property {string[]} [names] names of further events, for `event`
 * @property {AbortSignal} [signal] cancels the job
 * @property {number} [threads] default: one
 */

/** The stream of this page: a browser holds six connections to a server, so a page holds one. @type {EventSource | null} */
let stream = null;

/**
 * Starts long work and follows it. A page follows one job at a time: a second one cancels the first. Leaving the page
 * cancels it too.
 * @param {string} command
 * @param {object} request
 * @param {JobListeners} [listeners]
 * @returns {Promise<any>} the answer
 * @throws {ApiError} kind `stopped` where it was cancelled
 */
export async function job(command, request, listeners = {}) {
  cancelCurrent();
  if (local) return jobHere(command, request, listeners);
  const { signal, threads } = listeners;
  const { id } = await insist(`${ROOT}/jobs`, { command, request, attended: true, ...(threads && { threads }) }, signal);
  const place = `${ROOT}/jobs/${encodeURIComponent(id)}`;
  return new Promise((resolve, reject) => {
    const source = new EventSource(`${place}/events`);
    stream = source;
    let over = false;
    const end = () => {
      over = true;
      source.close();
      if (stream === source) stream = null;
      removeEventListener('pagehide', cancel);
      removeEventListener(CANCEL, cancel);
    };
    const cancel = () => {
      if (over) return;
      end();
      fetch(place, { method: 'DELETE', keepalive: true }).catch(() => undefined);
      reject(stopped());
    };
    addEventListener('pagehide', cancel);
    addEventListener(CANCEL, cancel);
    listeners.signal?.addEventListener('abort', cancel, { once: true });
    if (listeners.signal?.aborted) cancel();
    for (const name of new Set(['progress', 'line', ...(listeners.names ?? [])])) {
      source.addEventListener(name, (event) => {
        const data = JSON.parse(event.data);
        if (name === 'progress') listeners.progress?.(data);
        if (name === 'line') listeners.line?.(data);
        listeners.event?.(name, data);
      });
    }
    source.addEventListener('done', (event) => {
      end();
      const data = JSON.parse(event.data);
      if (data.answer) resolve(data.answer);
      else if (data.problem) reject(asError(data.problem, data.problem.status ?? 500));
      else reject(stopped());
    });
    let failures = 0;
    source.addEventListener('open', () => (failures = 0));
    source.addEventListener('error', () => {
      failures += 1;
      if (over || (source.readyState !== EventSource.CLOSED && failures < 5)) return;
      end();
      reject(new ApiError('the connection to the server broke; is "everymove serve" still running?'));
    });
  });
}

/** Stops the job that this page does itself. @type {AbortController | null} */
let here = null;

/**
 * @param {string} command
 * @param {object} request
 * @param {JobListeners} listeners
 */
async function jobHere(command, request, listeners) {
  const mine = new AbortController();
  here = mine;
  listeners.signal?.addEventListener('abort', () => mine.abort(stopped()), { once: true });
  if (listeners.signal?.aborted) throw stopped();
  const event = (/** @type {string} */ name, /** @type {any} */ data) => {
    if (name === 'progress') listeners.progress?.(data);
    if (name === 'line') listeners.line?.(data);
    listeners.event?.(name, data);
  };
  return local.job(command, request, mine.signal, event).catch(fail).finally(() => here === mine && (here = null));
}

const stopped = () => new ApiError('the work was stopped', { kind: 'stopped' });

const CANCEL = 'everymove:cancel';

/** Cancels the job that this page follows, if there is one. */
export function cancelCurrent() {
  here?.abort(stopped());
  if (stream) dispatchEvent(new Event(CANCEL));
}

/**
 * Runs only the latest of several questions: a new call aborts the one before, whose promise resolves to undefined.
 * @template T
 * @returns {(question: (signal: AbortSignal) => Promise<T>) => Promise<T | undefined>}
 */
export function latest() {
  /** @type {AbortController | undefined} */
  let current;
  return async (question) => {
    current?.abort();
    const mine = new AbortController();
    current = mine;
    try {
      const answer = await question(mine.signal);
      return mine.signal.aborted ? undefined : answer;
    } catch (error) {
      if (mine.signal.aborted) return undefined;
      throw error;
    }
  };
}

/**
 * Whether work ended because the reader stopped it.
 * @param {unknown} error
 */
export function wasStopped(error) {
  return (error instanceof ApiError && error.kind === 'stopped') || (error instanceof DOMException && error.name === 'AbortError');
}

/**
 * One sentence for a reader about anything that was thrown.
 * @param {unknown} error
 */
export function explain(error) {
  const text = error instanceof Error ? error.message : String(error);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
