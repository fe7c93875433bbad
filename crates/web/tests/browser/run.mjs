// Opens every page of `everymove serve` in chromium: finds faults of accessibility with axe-core (WCAG 2.2 A and AA) in
// light, dark and on a phone, measures what is transferred, and runs the stories. Any console error fails.
//
//   node run.mjs --modules DIR [--binary FILE | --address URL | --site DIR] [--only TEXT] [--screenshots DIR] [--serve=ARGS]
//
// --modules   the folder node_modules with playwright-core and axe-core
// --binary    the program to start on a free port (default: target/release/everymove)
// --address   a server that runs already
// --site      the folder of a site without a server (cargo xtask site): its pages, the stories that need no server, that no
//             request leaves it, and that it works after its server has ended
// --only      only pages and stories whose name contains this: '/tours page', 'touch'
// --screenshots  writes NAME-light.png, NAME-dark.png, NAME-phone.png of every page
// --patience  seconds that an action or a wait may take (default: 30)
// --serve     further arguments of `everymove serve`, separated by blanks

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createFileServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    modules: { type: 'string' },
    binary: { type: 'string', default: path.join(here, '../../../../target/release/everymove') },
    address: { type: 'string' },
    site: { type: 'string' },
    only: { type: 'string', default: '' },
    screenshots: { type: 'string' },
    serve: { type: 'string', default: '' },
    patience: { type: 'string', default: '30' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
if (!options.modules) throw new Error('--modules DIR is missing');
const need = createRequire(path.join(path.resolve(options.modules), 'any.js'));
const { chromium } = need('playwright-core');
const axeSource = readFileSync(need.resolve('axe-core/axe.min.js'), 'utf8');

/** Each page, the bytes that its first view may transfer, and the views in which it is examined. */
const PAGES = ['/', '/tours', '/pegs', '/chess', '/endgames', '/parallel', '/lab', '/api'].filter((name) => !options.site || name !== '/api');
const MOST_BYTES = 100_000;
/** How often each page is loaded anew for the times of its paints; an odd number. */
const LOADS = 3;
/** Each in a window of its own. */
const STORIES_AT_ONCE = 3;
const VIEWS = {
  light: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  narrow: { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
};

const faults = [];
const fault = (where, what) => {
  faults.push(`${where}: ${what}`);
  console.log(`  FAULT ${where}: ${what}`);
};

/** A port that nobody listens on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const TYPES = { css: 'text/css', gz: 'application/gzip', html: 'text/html', js: 'text/javascript', json: 'application/json', png: 'image/png', svg: 'image/svg+xml', webmanifest: 'application/manifest+json' };

/** Offers the files of a site, as any file server does; a page also without `.html`. */
async function offer(folder) {
  const port = await freePort();
  const server = createFileServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const file = path.join(folder, name === '/' ? 'index.html' : /\.\w+$/.test(name) ? name : `${name}.html`);
    try {
      const bytes = readFileSync(file);
      response.writeHead(200, { 'content-type': TYPES[path.extname(file).slice(1)] ?? 'application/octet-stream', 'content-length': bytes.length });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address: `http://127.0.0.1:${port}`, stop };
}

/** Starts the program; resolves to its address and a function that ends it. */
async function start() {
  if (options.site) return offer(path.resolve(options.site));
  if (options.address) return { address: options.address.replace(/\/$/, ''), stop: async () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), 'everymove-browser-'));
  const port = await freePort();
  const further = options.serve.split(' ').filter(Boolean);
  const child = spawn(path.resolve(options.binary), ['serve', '--address', `127.0.0.1:${port}`, ...further], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  let ended = null;
  child.stderr.on('data', (data) => (log = (log + data).slice(-4000)));
  const exit = new Promise((resolve) => child.once('exit', (code) => resolve((ended = code ?? -1))));
  child.once('error', (error) => ((log += error), (ended = -1)));
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries += 1) {
    if (ended !== null || tries === 300) throw new Error(`the server did not start (${ended}): ${log}`);
    if (await fetch(address).then(() => true, () => false)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const code = await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, 15_000, 'no exit'))]);
    if (code === 'no exit') {
      child.kill('SIGKILL');
      fault('server', 'did not end within 15 s of SIGTERM');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, stop };
}

/** Opens a page of a new context that reports console errors as faults, except those that a story expects. */
async function open(browser, view, where, expected = []) {
  const context = await browser.newContext({ ...VIEWS[view], reducedMotion: 'no-preference' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => {});
  const page = await context.newPage();
  page.setDefaultTimeout(Number(options.patience) * 1000);
  const unexpected = (text) => !expected.some((pattern) => pattern.test(text));
  if (options.site) {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (!['data:', 'blob:'].includes(url.protocol) && url.hostname !== '127.0.0.1') fault(where, `a request leaves the page: ${url}`);
    });
  }
  page.on('pageerror', (error) => unexpected(String(error)) && fault(where, `error in the page: ${error.stack ?? error}`));
  page.on('console', (message) => {
    const text = `${message.text()} (${message.location().url})`;
    if (message.type() === 'error' && unexpected(text)) fault(where, `console: ${text}`);
  });
  return { page, context };
}

/** Faults of accessibility of the page as it is. */
async function examine(page, where) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  for (const each of violations) {
    const places = each.nodes.slice(0, 3).map((node) => `${node.target.join(' ')}: ${node.failureSummary}`);
    fault(where, `axe ${each.id} (${each.nodes.length}): ${places.join('; ').replace(/\s+/g, ' ')}`);
  }
  return violations.length;
}

/**
 * What a page transfers before its network is idle, in bytes; its first and its largest contentful paint and the time
 * that tasks of more than 50 ms block it, in milliseconds; and its layout shift, 0 where nothing moves.
 */
async function weigh(browser, address, name) {
  const { page, context } = await open(browser, 'light', `${name} weight`);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let transferred = 0;
  session.on('Network.loadingFinished', (event) => (transferred += event.encodedDataLength));
  await page.addInitScript(() => {
    const seen = { largest: Number.NaN, shift: 0, blocked: 0 };
    globalThis.measured = seen;
    const watch = (type, take) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    watch('largest-contentful-paint', (entry) => (seen.largest = entry.startTime));
    watch('layout-shift', (entry) => (seen.shift += entry.hadRecentInput ? 0 : entry.value));
    watch('longtask', (entry) => (seen.blocked += entry.duration - 50));
  });
  await page.goto(address + name, { waitUntil: 'networkidle' });
  const measured = await page.evaluate(() => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    ...globalThis.measured,
  }));
  await context.close();
  return { transferred, ...measured };
}

/** What a reader does, counted: each click, key, text or drag is one action. */
function actor(page) {
  const act = {
    actions: 0,
    click: (target, settings) => ((act.actions += 1), locate(target).click(settings)),
    /** @param {{ x: number, y: number }} point of the window */
    clickAt: ({ x, y }) => ((act.actions += 1), page.mouse.click(x, y)),
    tap: (target) => ((act.actions += 1), locate(target).tap()),
    fill: (target, text) => ((act.actions += 1), locate(target).fill(text)),
    choose: (target, value) => ((act.actions += 1), locate(target).selectOption(value)),
    press: (key) => ((act.actions += 1), page.keyboard.press(key)),
    type: (text) => ((act.actions += 1), page.keyboard.type(text)),
    /** Moves the focus with Tab until the element has it, as one who has no mouse; not more than `most` times. */
    async tabTo(target, most = 80) {
      const wanted = locate(target);
      for (let tries = 0; tries < most; tries += 1) {
        if (await wanted.evaluate((element) => element === document.activeElement).catch(() => false)) return;
        await act.press('Tab');
      }
      throw new Error(`Tab does not reach ${wanted}`);
    },
    async drag(from, to) {
      act.actions += 1;
      await locate(from).scrollIntoViewIfNeeded();
      const [a, b] = [await middle(from), await middle(to)];
      await page.mouse.move(a.x, a.y);
      await page.mouse.down();
      await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 4 });
      await page.mouse.move(b.x, b.y, { steps: 4 });
      await page.mouse.up();
    },
    async touchDrag(from, to) {
      act.actions += 1;
      await locate(from).scrollIntoViewIfNeeded();
      const [a, b] = [await middle(from), await middle(to)];
      const session = await page.context().newCDPSession(page);
      const send = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
      await send('touchStart', [a]);
      for (let step = 1; step <= 6; step += 1) {
        await send('touchMove', [{ x: a.x + ((b.x - a.x) * step) / 6, y: a.y + ((b.y - a.y) * step) / 6 }]);
      }
      await send('touchEnd', []);
      await session.detach();
    },
  };
  const locate = (target) => (typeof target === 'string' ? page.locator(target) : target);
  const middle = async (target) => {
    const box = await locate(target).boundingBox();
    if (!box) throw new Error('the element is not shown');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  return act;
}

/** Throws unless the condition holds. */
export function check(condition, what) {
  if (!condition) throw new Error(what);
}

async function pages(browser, address, modules) {
  for (const name of PAGES.filter((each) => `${each} page`.includes(options.only))) {
    const loads = [];
    for (let load = 0; load < LOADS; load += 1) loads.push(await weigh(browser, address, name));
    const { transferred, shift } = loads[0];
    const median = (times) => times.sort((a, b) => a - b)[(LOADS - 1) / 2].toFixed(0);
    console.log(
      `${name.padEnd(11)} ${String(transferred).padStart(7)} bytes, first paint ${median(loads.map((load) => load.first))} ms, ` +
        `largest ${median(loads.map((load) => load.largest))} ms, blocked ${median(loads.map((load) => load.blocked))} ms ` +
        `(medians of ${LOADS}), layout shift ${shift.toFixed(3)}`,
    );
    if (!options.site && !(transferred <= MOST_BYTES)) fault(name, `${transferred} bytes are transferred, at most ${MOST_BYTES} may be`);
    const prepare = modules.find((module) => module.page === name)?.picture;
    for (const view of Object.keys(VIEWS)) {
      const where = `${name} ${view}`;
      const { page, context } = await open(browser, view, where);
      const response = await page.goto(address + name, { waitUntil: 'networkidle' });
      if (!response?.ok()) fault(where, `HTTP ${response?.status()}`);
      await examine(page, where);
      if (prepare) {
        await prepare({ page, address, check }).catch((error) => fault(where, `picture: ${error.message}`));
        await examine(page, `${where}, in use`);
      }
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) fault(where, `is ${over} px wider than the screen`);
      if (options.screenshots && view !== 'narrow') {
        const file = `${name === '/' ? 'index' : name.slice(1)}-${view}.png`;
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: path.join(options.screenshots, file), fullPage: view === 'phone' });
      }
      await context.close();
    }
  }
}

async function stories(browser, address, modules) {
  const left = modules
    .filter((module) => PAGES.includes(module.page))
    .flatMap((module) => module.stories.filter((story) => !options.site || !story.served).map((story) => ({ name: `${module.page} ${story.name}`, story })))
    .filter(({ name }) => name.includes(options.only));
  const all = left.length;
  // Most of a story's time is spent on animations and requests, not on the processor.
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await runStory(browser, address, next);
  };
  await Promise.all(Array.from({ length: STORIES_AT_ONCE }, worker));
  return all;
}

async function runStory(browser, address, { name, story }) {
  const { page, context } = await open(browser, story.view ?? 'light', name, story.expects);
  const act = actor(page);
  try {
    await page.goto(address + (story.from ?? '/'), { waitUntil: 'networkidle' });
    await story.run({ page, act, check, address });
    await examine(page, `${name}, at its end`);
    console.log(`story ${name}: ${act.actions} actions`);
  } catch (error) {
    fault(name, String(error.stack ?? error).split('\n').slice(0, 30).join('\n'));
    if (options.screenshots) {
      await page.screenshot({ path: path.join(options.screenshots, 'fault.png') }).catch(() => {});
    }
  }
  await context.close();
}

/** A site that was visited once answers after its server has ended, and keeps tables from one visit to the next. */
async function offline(browser, server) {
  const where = 'the site without its server';
  const { page, context } = await open(browser, 'light', where, [/Failed to load resource/]);
  try {
    const build = async () => {
      await page.goto(`${server.address}/endgames.html?ending=KQvK`, { waitUntil: 'networkidle' });
      await page.locator('#tables button', { hasText: 'KQvK' }).first().waitFor();
    };
    await page.goto(`${server.address}/endgames.html`, { waitUntil: 'networkidle' });
    await page.locator('#stats-panel summary').click();
    await page.locator('#material').fill('KQvK');
    await page.getByRole('button', { name: 'Count it' }).click();
    await page.locator('#tables button', { hasText: 'KQvK' }).first().waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await server.stop();
    await build();
    await page.goto(`${server.address}/tours.html?board=6x6`, { waitUntil: 'networkidle' });
    await page.getByText('36 squares').first().waitFor();
    console.log('the site answers after its server has ended, and has kept its tables');
  } catch (error) {
    fault(where, String(error.stack ?? error).split('\n').slice(0, 12).join('\n'));
  }
  await context.close();
}

const folder = path.join(here, 'stories');
const modules = [];
for (const file of readdirSync(folder).filter((each) => each.endsWith('.mjs')).sort()) {
  modules.push(await import(pathToFileURL(path.join(folder, file)).href));
}
if (options.screenshots) mkdirSync(options.screenshots, { recursive: true });
const server = await start();
const browser = await chromium.launch({
  executablePath: options.chromium,
  args: ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
try {
  await pages(browser, server.address, modules);
  const number = await stories(browser, server.address, modules);
  if (options.site) await offline(browser, server);
  console.log(`${number} stories, ${faults.length} faults`);
} finally {
  await browser.close();
  if (!options.site) await server.stop();
}
process.exitCode = faults.length > 0 ? 1 : 0;
