/**
 * The page about the interface for programs: reads /api/openapi.json and lets the reader try each request.
 * @module
 */

import { byId, duration, html, notice, ready, replace } from '../dom.js';
import { explain } from '../api.js';

/** @typedef {Record<string, any>} Json */

/** Requests that answer quickly, as first examples. */
const EXAMPLES = /** @type {Record<string, object>} */ ({
  'tours find': { board: '8x8', closed: true },
  'tours exists': { board: '5x5', closed: true },
  'tours list': { board: '3x4' },
  'tours count': { board: '6x6', closed: true },
  'tours sample': { board: '6x6', number: 2, seed: 7 },
  'tours unrank': { board: '6x6', closed: true, ranks: ['4711'] },
  'tours symmetric': { board: '6x6', rotation: 'quarter', list: true },
  'tours complete': { board: '5x5', path: 'a1-b3' },
  'pegs boards': {},
  'pegs solve': { board: 'english' },
  'pegs hint': { position: 'o/o./.oo/o.oo/ooooo' },
  'pegs count': { board: 'triangle5' },
  'pegs puzzle': { board: 'triangle5' },
  'pegs review': { board: 'triangle5', game: 'a3-a1 a5-a3 c5-a5' },
  'pegs replay': { board: 'triangle5', game: 'a3-a1 a5-a3', positions: true },
  'pegs play': { board: 'triangle5', moves: 'a3-a1' },
  'tables closure': { material: 'KQvK' },
  'tables stats': { material: 'KQvK' },
  'tables probe': { fen: '8/8/8/4k3/8/8/2Q5/3K4 w - - 0 1' },
  'engine perft': { depth: 4 },
  'lab list': {},
});

/**
 * The schema that a reference names, within its own document.
 * @param {Json} schema
 * @param {Json} root the schema that holds `$defs`
 * @param {Json} all the whole description
 * @returns {Json}
 */
function resolved(schema, root, all) {
  const path = /^#\/(.*)$/.exec(schema?.['$ref'] ?? '')?.[1];
  if (path === undefined) return schema ?? {};
  for (const document of [root, all]) {
    let found = /** @type {any} */ (document);
    for (const part of path.split('/')) found = found?.[part];
    if (found) return { ...found, ...(schema['description'] && { description: schema['description'] }) };
  }
  return schema;
}

/** The type of a field in few words. @param {Json} schema @param {Json} root @param {Json} all @returns {string} */
function kind(schema, root, all) {
  const found = resolved(schema, root, all);
  if (found['enum']) return found['enum'].map((/** @type {unknown} */ each) => JSON.stringify(each)).join(', ');
  if (found['const'] !== undefined) return JSON.stringify(found['const']);
  const choices = found['oneOf'] ?? found['anyOf'] ?? found['allOf'];
  if (choices) return [...new Set(choices.map((/** @type {Json} */ each) => kind(each, root, all)))].join(' or ');
  const type = [found['type'] ?? 'any'].flat().join(' or ');
  return type === 'array' ? `list of ${kind(found['items'] ?? {}, root, all)}` : type;
}

/** The fields of a schema as a table. @param {Json} schema @param {Json} all @param {string} title */
function fields(schema, all, title) {
  const found = resolved(schema, schema, all);
  const rows = Object.entries(/** @type {Json} */ (found['properties'] ?? {}));
  if (rows.length === 0) return [html('h3', {}, title), html('p', { class: 'muted' }, 'No fields.')];
  const required = new Set(found['required'] ?? []);
  return [
    html('h3', {}, title),
    html('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': title }, html('table', {},
      html('thead', {}, html('tr', {}, ['Field', 'Type', 'Meaning'].map((head) => html('th', { scope: 'col' }, head)))),
      html('tbody', {}, rows.map(([name, field]) => html('tr', {},
        html('td', {}, name, title === 'Request' && required.has(name) ? html('span', { class: 'visually-hidden' }, ', required') : null, title === 'Request' && required.has(name) ? html('span', { 'aria-hidden': 'true', title: 'required', class: 'bad-text' }, ' *') : null),
        html('td', {}, kind(field, found, all)),
        html('td', {}, resolved(field, found, all)['description'] ?? '')))))),
  ];
}

/** A command line that sends a request. @param {string} method @param {string} path @param {string} [body] */
function curl(method, path, body) {
  const address = location.origin + path;
  return body === undefined ? `curl ${method === 'GET' ? '' : `-X ${method} `}${address}` : `curl ${address} -H 'content-type: application/json' -d '${body}'`;
}

/**
 * A form that sends the request and shows the answer.
 * @param {string} method
 * @param {string} path
 * @param {Json | undefined} schema of the body
 */
function attempt(method, path, schema) {
  const command = path.replace('/api/v1/', '').replaceAll('/', ' ');
  const example = EXAMPLES[command] ?? Object.fromEntries(/** @type {string[]} */ (schema?.['required'] ?? []).map((name) => [name, '']));
  const id = `try-${command.replaceAll(' ', '-')}`;
  const text = html('textarea', { id, class: 'mono', spellcheck: 'false', autocomplete: 'off' });
  text.value = JSON.stringify(example, null, 1).replace(/\n\s*/g, ' ').replace('{ ', '{').replace(' }', '}');
  const line = html('pre', { tabindex: 0, 'aria-label': 'command line' });
  const state = html('p', { class: 'notice', hidden: true, role: 'status' });
  const answer = html('pre', { tabindex: 0, hidden: true, 'aria-label': 'answer' });
  const show = () => (line.textContent = curl(method, path, text.value.replace(/\s*\n\s*/g, ' ')));
  text.addEventListener('input', show);
  show();
  const send = html('button', { type: 'button', class: 'primary', onclick: async () => {
    notice(state, 'busy', 'Waiting for the answer');
    const began = performance.now();
    try {
      const response = await fetch(path, { method, headers: { 'content-type': 'application/json' }, body: text.value });
      const body = await response.json();
      notice(state, response.ok ? 'good' : 'bad', `${response.status} ${response.statusText}, ${duration((performance.now() - began) / 1000)}`);
      answer.hidden = false;
      answer.textContent = JSON.stringify(body, null, 2);
    } catch (error) {
      notice(state, 'bad', explain(error));
    }
  } }, 'Send');
  return html('div', { class: 'stack' },
    html('h3', {}, html('label', { for: id }, 'Try it')), text, html('div', { class: 'toolbar' }, send), line, state, answer);
}

/** @param {string} path @param {string} method @param {Json} operation @param {Json} all */
function entry(path, method, operation, all) {
  const id = operation['operationId'] ?? `${method}-${path}`;
  const body = operation['requestBody']?.content?.['application/json']?.schema;
  const answers = /** @type {Json[]} */ (Object.entries(operation['responses'] ?? {}).filter(([status]) => status.startsWith('2')).map(([, each]) => each));
  const answer = answers[0]?.['content']?.['application/json']?.schema;
  const details = html('details', { class: 'operation', id },
    html('summary', {}, html('span', { class: 'method' }, method.toUpperCase()), html('code', {}, path), html('span', { class: 'about' }, operation['summary'] ?? '')));
  // The inside is made when it is opened first: there are dozens of requests.
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    const inside = html('div', {});
    details.append(inside);
    replace(inside,
      operation['description'] ? html('p', {}, operation['description']) : null,
      body && !path.includes('{') && path !== '/api/v1/jobs' ? attempt(method.toUpperCase(), path, resolved(body, body, all)) : html('pre', { tabindex: 0, 'aria-label': 'command line' }, curl(method.toUpperCase(), path)),
      body ? fields(body, all, 'Request') : null,
      answer ? fields(answer, all, 'Answer') : null);
  });
  details.dataset['search'] = `${path} ${operation['summary'] ?? ''} ${operation['tags'] ?? ''}`.toLowerCase();
  return details;
}

byId('curl-first').textContent = curl('POST', '/api/v1/tours/find', '{"board":"8x8","closed":true}');
const place = byId('operations');
const state = byId('api-state');
try {
  const response = await fetch('/api/openapi.json');
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const all = await response.json();
  /** @type {Map<string, HTMLDetailsElement[]>} */
  const groups = new Map();
  for (const [path, methods] of Object.entries(/** @type {Json} */ (all.paths))) {
    for (const [method, operation] of Object.entries(/** @type {Json} */ (methods))) {
      if (!['get', 'post', 'delete', 'put'].includes(method)) continue;
      const group = operation.tags?.[0] ?? 'other';
      groups.set(group, [...(groups.get(group) ?? []), entry(path, method, operation, all)]);
    }
  }
  replace(place, [...groups].map(([group, entries]) => html('section', { 'aria-label': group }, html('h2', { class: 'api-group' }, group), entries)));
  notice(state, 'info', '');
  const wanted = document.getElementById(location.hash.slice(1));
  if (wanted instanceof HTMLDetailsElement) {
    wanted.open = true;
    wanted.scrollIntoView();
  }
} catch (error) {
  notice(state, 'bad', explain(error));
}

byId('filter', HTMLInputElement).addEventListener('input', (event) => {
  const words = /** @type {HTMLInputElement} */ (event.target).value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of place.children) {
    let any = false;
    for (const each of section.querySelectorAll('details')) {
      const fits = words.every((word) => each.dataset['search']?.includes(word));
      each.hidden = !fits;
      any ||= fits;
    }
    section.toggleAttribute('hidden', !any);
  }
});
ready();
