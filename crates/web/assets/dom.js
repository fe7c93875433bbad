/**
 * Elements, messages and files: what every page needs of the browser.
 * @module
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 *   what may be put into an element; null, undefined and false are left out
 */

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes
 * @param {(Child | Child[])[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function') {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === 'value' && 'value' in element) {
      element.value = String(value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  append(element, ...children);
}

/**
 * Appends children, leaving out null, undefined and false.
 * @param {Element | DocumentFragment} parent
 * @param {...(Child | Child[])} children
 */
export function append(parent, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Creates an HTML element. Attributes whose name begins with `on` and whose value is a function are listeners;
 * `true` is an attribute without a value; null, undefined and false are left out. Never sets HTML from text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Creates an SVG element, with attributes as {@link html}.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/**
 * The element of an id, of the given class: `byId('board', HTMLDivElement)`.
 * @template {Element} [T=HTMLElement]
 * @param {string} id
 * @param {{ new (): T, prototype: T }} [type] default: HTMLElement
 * @returns {T}
 * @throws {Error} where the page has no such element
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  const wanted = type ?? HTMLElement;
  if (!(element instanceof wanted)) throw new Error(`the page has no ${wanted.name} #${id}`);
  return /** @type {T} */ (/** @type {unknown} */ (element));
}

/**
 * Replaces all children of an element.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function replace(parent, ...children) {
  parent.replaceChildren();
  append(parent, ...children);
}

/** @type {HTMLElement | undefined} */
let region;

/**
 * Has a screen reader speak a sentence once what it speaks now is done (a polite live region, made on first use).
 * @param {string} sentence
 */
export function announce(sentence) {
  if (!region) {
    region = html('div', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite', id: 'spoken' });
    document.body.append(region);
  }
  const place = region;
  // The same text twice is spoken twice only if the region was empty in between.
  place.textContent = '';
  setTimeout(() => (place.textContent = sentence), 50);
}

/**
 * Shows a message in an element, as a coloured box with a sign; empty text hides it.
 * @param {Element} place
 * @param {'good' | 'bad' | 'info' | 'busy'} kind
 * @param {...Child} content
 */
export function notice(place, kind, ...content) {
  const present = content.some((part) => part !== '' && part !== null && part !== undefined && part !== false);
  place.classList.add('notice');
  for (const each of ['good', 'bad', 'info', 'busy']) place.classList.toggle(each, each === kind);
  place.toggleAttribute('hidden', !present);
  replace(place, ...content);
}

/**
 * An integer with groups of three digits: 13,267,364,410,532.
 * @param {number | string | bigint | null | undefined} value decimal digits where it is text
 * @returns {string} '' for null and undefined
 */
export function number(value) {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
}

/**
 * A number of things with the noun in singular or plural: `count(1, 'tour')`.
 * @param {number | string} value
 * @param {string} one
 * @param {string} [many] default: the singular with an s
 */
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${String(value) === '1' ? one : many}`;
}

/**
 * A duration in words as short as its size allows: 0.2 ms, 4.1 s, 3 min.
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 0.001) return `${(seconds * 1e6).toFixed(0)} µs`;
  if (seconds < 0.01) return `${(seconds * 1000).toPrecision(2).replace(/\.0$/, '')} ms`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(0)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1).replace('.0', '')} s`;
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/**
 * A size in powers of 1024, as the program prints it: 4.2M.
 * @param {number} size in bytes
 */
export function bytes(size) {
  const units = [' bytes', 'K', 'M', 'G', 'T'];
  let unit = 0;
  while (size >= 1024 && unit + 1 < units.length) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 || size >= 100 ? size.toFixed(0) : size.toPrecision(2)}${units[unit]}`;
}

/**
 * Saves a file that the page made.
 * @param {string} name
 * @param {Blob | string} content
 * @param {string} [type] media type of a text
 */
export function download(name, content, type = 'text/plain') {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const address = URL.createObjectURL(blob);
  html('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * Copies text and says so aloud.
 * @param {string} text
 * @param {string} what for the sentence: `FEN`
 * @returns {Promise<boolean>} false where the browser refuses
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${what} copied`);
    return true;
  } catch {
    announce(`${what} could not be copied`);
    return false;
  }
}

/**
 * Calls a function once, `wait` milliseconds after the last call.
 * @template {unknown[]} A
 * @param {(...values: A) => void} action
 * @param {number} wait
 * @returns {(...values: A) => void}
 */
export function delayed(action, wait) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
}

/** Whether the reader asked the system for less motion. */
export function reducedMotion() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** Makes the content of the page usable. Each page calls it once, after it has set its controls and added their listeners. */
export function ready() {
  byId('main').inert = false;
  // On a narrow screen the names of the pages are one line that scrolls.
  const here = document.querySelector('header.site nav [aria-current]');
  const line = here?.parentElement;
  if (here instanceof HTMLElement && line) line.scrollLeft = here.offsetLeft - line.offsetLeft - line.clientWidth / 3;
}

/**
 * Keys of the whole page, by `KeyboardEvent.key`. They do nothing while the reader types into a field or changes a
 * list or slider, nor together with Ctrl, Alt or Meta, nor where an element handled the key before.
 * @param {Record<string, (event: KeyboardEvent) => void>} actions
 */
export function pageKeys(actions) {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target;
    if (target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select'))) {
      if (!(target instanceof HTMLInputElement && ['checkbox', 'button'].includes(target.type))) return;
    }
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    // Space and Enter belong to the control that has the focus.
    if ([' ', 'Enter'].includes(event.key) && target instanceof Element && target.closest('button, a, summary, [role="gridcell"]')) return;
    event.preventDefault();
    action(event);
  });
}

/**
 * Makes a group of elements one tab stop, with arrow keys, Home and End between them (a toolbar, a list).
 * @param {HTMLElement} group
 * @param {string} selector of the members
 */
export function roving(group, selector) {
  const members = () => /** @type {HTMLElement[]} */ ([...group.querySelectorAll(selector)]);
  const settle = (/** @type {HTMLElement | undefined} */ chosen) => {
    for (const each of members()) each.tabIndex = each === (chosen ?? members()[0]) ? 0 : -1;
  };
  settle(undefined);
  group.addEventListener('focusin', (event) => {
    if (event.target instanceof HTMLElement && event.target.matches(selector)) settle(event.target);
  });
  group.addEventListener('keydown', (event) => {
    const all = members();
    const at = all.findIndex((each) => each === document.activeElement);
    if (at < 0) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : step ? (at + step + all.length) % all.length : -1;
    if (next < 0) return;
    event.preventDefault();
    all[next]?.focus();
  });
}
