/**
 * The state of a page in its address, so that it can be shared, reloaded and left with the back button.
 * @module
 */

/** @typedef {string | number | boolean} Value */

/**
 * The same fields with values of any text, number or truth value in place of those of the defaults.
 * @template T
 * @typedef {{ [K in keyof T]: T[K] extends boolean ? boolean : T[K] extends number ? number : string }} Fields
 */

/**
 * Percent-encodes a value, leaving readable what an address allows in a query: 8x8, a1,b2, o/oo/ooo.
 * @param {string} text
 */
function encode(text) {
  return encodeURIComponent(text).replace(/%2F/g, '/').replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%20/g, '+');
}

/**
 * Fields of a page's state and their values when the address says nothing. Values keep the type of their default; a
 * number or truth value that cannot be read is the default.
 * @template {Record<string, Value>} T
 */
export class State {
  /** @param {T} defaults */
  constructor(defaults) {
    this.defaults = defaults;
    /** @type {Fields<T>} */
    this.values = this.read();
    /** @type {((values: Fields<T>) => void)[]} */
    this.listeners = [];
    /** A text that is kept with this step of the history, as it is too long for the address. */
    this.kept = String(history.state ?? '');
    addEventListener('popstate', () => {
      this.values = this.read();
      this.kept = String(history.state ?? '');
      for (const listener of this.listeners) listener(this.values);
    });
  }

  /**
   * The values that the address holds now.
   * @returns {Fields<T>}
   */
  read() {
    const query = new URLSearchParams(location.search);
    /** @type {Record<string, Value>} */
    const values = {};
    for (const [name, usual] of Object.entries(this.defaults)) {
      const text = query.get(name);
      if (text === null) values[name] = usual;
      else if (typeof usual === 'number') values[name] = text !== '' && Number.isFinite(Number(text)) ? Number(text) : usual;
      else if (typeof usual === 'boolean') values[name] = text === '' || text === 'true' || text === '1';
      else values[name] = text;
    }
    return /** @type {Fields<T>} */ (values);
  }

  /**
   * Changes some fields and the address. `push` makes a step that the back button undoes; without it the current step
   * is changed, for what changes often.
   * @param {Partial<Fields<T>>} changes
   * @param {'push' | 'replace'} [step]
   */
  set(changes, step = 'replace') {
    this.values = { ...this.values, ...changes };
    const address = this.address();
    if (address === location.pathname + location.search && this.kept === String(history.state ?? '')) return;
    if (step === 'push') history.pushState(this.kept, '', address);
    else history.replaceState(this.kept, '', address);
  }

  /** The address of the page with these values; what equals its default is left out. */
  address() {
    const query = Object.entries(this.values)
      .filter(([name, value]) => value !== this.defaults[name])
      .map(([name, value]) => (value === true ? name : `${name}=${encode(String(value))}`))
      .join('&');
    return location.pathname + (query && `?${query}`);
  }

  /**
   * Calls a listener with the values after the back or forward button.
   * @param {(values: Fields<T>) => void} listener
   */
  onReturn(listener) {
    this.listeners.push(listener);
  }
}

/**
 * Something that is kept in this browser only: a preference.
 * @template {Value} V
 * @param {string} name
 * @param {V} usual
 * @returns {{ get: () => V, set: (value: V) => void }}
 */
export function preference(name, usual) {
  const key = `everymove.${name}`;
  return {
    get() {
      try {
        const text = localStorage.getItem(key);
        return text === null ? usual : JSON.parse(text);
      } catch {
        return usual;
      }
    },
    set(value) {
      try {
        localStorage.setItem(key, JSON.stringify(value));
      } catch {
        // Storage may be full or forbidden; the page works without it.
      }
    },
  };
}
