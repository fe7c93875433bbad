/**
 * Keeps the whole site in the browser, so that it works without a network. The two values are set when the site is made.
 */

const VERSION = 'VERSION';
/** @type {string[]} */
const FILES = [];

const worker = /** @type {any} */ (self);

worker.addEventListener('install', (/** @type {any} */ event) => {
  const kept = caches.open(VERSION).then((cache) => cache.addAll(FILES));
  event.waitUntil(kept.then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  const others = caches.keys().then((names) => Promise.all(names.filter((name) => name !== VERSION).map((name) => caches.delete(name))));
  event.waitUntil(others.then(() => worker.clients.claim()));
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  if (event.request.method !== 'GET') return;
  const answer = caches.open(VERSION).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(answer.then((/** @type {any} */ found) => found ?? fetch(event.request)));
});
