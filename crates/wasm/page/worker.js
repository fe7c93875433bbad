/**
 * Answers questions inside the page, one after the other: the same program as on a server, compiled to WebAssembly, with
 * files in memory. Tables that it builds are kept in the browser's storage, which all workers of the site share.
 * @module
 */

// @ts-ignore: the package is copied beside this file when the site is made.
import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI } from './wasi/index.js';

/** A folder that counts changes of its names, for its time of modification. */
class Folder extends Map {
  changes = 1n;

  /** @override @param {string} name @param {any} file */
  set(name, file) {
    this.changes = (this.changes ?? 1n) + 1n;
    return super.set(name, file);
  }

  /** @override @param {string} name */
  delete(name) {
    this.changes += 1n;
    return super.delete(name);
  }
}

/** A file that grows by doubling. */
class Growing extends /** @type {any} */ (OpenFile) {
  /** @param {Uint8Array} data @param {bigint} at */
  fd_pwrite(data, at) {
    const [begin, end] = [Number(at), Number(at) + data.byteLength];
    const file = this.file;
    if (end > file.data.byteLength) {
      const buffer = file.data.buffer;
      if (end <= buffer.byteLength) file.data = new Uint8Array(buffer, 0, end);
      else {
        const larger = new Uint8Array(new ArrayBuffer(Math.max(end, 2 * buffer.byteLength)), 0, end);
        larger.set(file.data);
        file.data = larger;
      }
    }
    file.data.set(data, begin);
    return { ret: 0, nwritten: data.byteLength };
  }

  /** @param {Uint8Array} data */
  fd_write(data) {
    const written = this.fd_pwrite(data, this.file_pos);
    this.file_pos += BigInt(data.byteLength);
    return written;
  }
}

/** A file whose openings grow by doubling. */
class Kept extends File {
  /** @param {number} oflags @param {bigint} rights @param {number} flags */
  path_open(oflags, rights, flags) {
    const opened = super.path_open(oflags, rights, flags);
    if (opened.fd_obj) Object.setPrototypeOf(opened.fd_obj, Growing.prototype);
    return opened;
  }
}

const folder = new Folder();
const place = new PreopenDirectory('/tables', folder);
const stat = place.dir.stat.bind(place.dir);
place.dir.stat = () => Object.assign(stat(), { mtim: folder.changes * 1_000_000n });
const create = Directory.prototype.create_entry_for_path;
place.dir.create_entry_for_path = function (/** @type {string} */ path, /** @type {boolean} */ isFolder) {
  const made = create.call(this, path, isFolder);
  if (made.entry instanceof File) Object.setPrototypeOf(made.entry, Kept.prototype);
  return made;
};

/** The names that are in the browser's storage too. @type {Set<string>} */
const stored = new Set();

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The storage of tables; null where the browser has none for this page. */
const storage = (async () => {
  try {
    const opening = indexedDB.open('everymove', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('tables');
    return await done(opening);
  } catch {
    return null;
  }
})();

/** @param {IDBTransactionMode} mode */
const tables = async (mode) => (await storage)?.transaction('tables', mode).objectStore('tables');

/** Reads the tables that other workers, or earlier visits, have stored. */
async function load() {
  const names = await tables('readonly').then((all) => (all ? done(all.getAllKeys()) : []));
  for (const name of names.map(String).filter((each) => !stored.has(each))) {
    const bytes = await tables('readonly').then((all) => all && done(all.get(name)));
    if (bytes) folder.set(name, new File(bytes));
    stored.add(name);
  }
}

/** Stores the tables that were built. */
async function save() {
  for (const [name, file] of folder) {
    if (stored.has(name) || !/^K[KQRBNPv]+\.(dtm|dtz|dtc|dtm50|rtbw|rtbz)$/.test(name)) continue;
    await tables('readwrite').then((all) => all && done(all.put(file.data.slice(), name)));
    stored.add(name);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The number of the question that is being answered. */
let asked = 0;

/** @type {Promise<any> | undefined} the functions of the program */
let program;

/** @param {WebAssembly.Module} module */
async function start(module) {
  const log = ConsoleStdout.lineBuffered((/** @type {string} */ line) => console.warn(line));
  const system = new WASI([], [], [new OpenFile(new File([])), log, log, place]);
  const instance = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: system.wasiImport,
    everymove: {
      /** @type {(name: number, nameLength: number, json: number, jsonLength: number) => void} */
      event(name, nameLength, json, jsonLength) {
        postMessage({ number: asked, event: text(functions, name, nameLength), data: JSON.parse(text(functions, json, jsonLength)) });
      },
    },
  });
  /** @type {any} */
  const functions = instance.exports;
  system.initialize(instance);
  return functions;
}

/** @param {any} functions @param {number} at @param {number} length */
const text = (functions, at, length) => decoder.decode(new Uint8Array(functions.memory.buffer, at, length));

onmessage = async ({ data: { module, number, command, request } }) => {
  if (module) {
    program = start(module);
    return;
  }
  try {
    const functions = await program;
    await load();
    asked = number;
    const [name, body] = [encoder.encode(command), encoder.encode(JSON.stringify(request))];
    const at = functions.buffer(name.length + body.length);
    const memory = new Uint8Array(functions.memory.buffer);
    memory.set(name, at);
    memory.set(body, at + name.length);
    const length = functions.ask(name.length);
    const value = JSON.parse(text(functions, functions.answer(), Math.abs(length)));
    await save();
    postMessage(length < 0 ? { number, problem: value } : { number, answer: value });
  } catch (error) {
    // The program ended by itself, in a state that cannot be used again.
    postMessage({ number, broken: String(error) });
  }
};
