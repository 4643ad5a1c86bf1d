// The module with its memory: numbers go in and out by copies, errors become exceptions.

import { instantiate } from "./host.js";

const NAMES = ["ok", "bad argument", "bad file", "numerical", "no memory", "bad handle", "failed", "cancelled"];

/** An error of the engine; kind is "bad argument", "bad file", "numerical", "no memory", "bad handle" or "failed". */
export class RigcastError extends Error {
  constructor(message, kind) {
    super(message);
    this.name = "RigcastError";
    this.kind = kind;
  }
}

const SIZES = { u32: 4, i32: 4, f64: 8, i64: 8, list: 16 }; // list: a pointer and a count

/** Offsets of the fields of a C structure in 32-bit memory; fields: [["name", "type"], ...]. */
export function layout(fields) {
  const offsets = {};
  let at = 0;
  for (const [name, type] of fields) {
    const alignment = Math.min(SIZES[type], 8);
    at = Math.ceil(at / alignment) * alignment;
    offsets[name] = { at, type };
    at += SIZES[type];
  }
  return { offsets, size: Math.ceil(at / 8) * 8 };
}

/** Memory of the module that is freed at once. */
class Arena {
  constructor(engine) {
    this.engine = engine;
    this.blocks = [];
  }

  room(bytes) {
    const at = this.engine.exports.malloc(Math.max(bytes, 8)) >>> 0;
    if (at === 0) throw new RigcastError("there is not enough memory", "no memory");
    this.blocks.push(at);
    return at;
  }

  /** A copy of a typed array. */
  put(array) {
    const at = this.room(array.byteLength);
    this.engine.bytes().set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    return at;
  }

  /** A copy of a text, with its terminating zero. */
  text(value) {
    return this.put(new TextEncoder().encode(`${value}\0`));
  }

  /** A structure: values by field, a list is { at, count }; a field "size" is filled in. */
  structure({ offsets, size }, values) {
    const at = this.room(size);
    this.engine.bytes().fill(0, at, at + size);
    const view = this.engine.view();
    for (const [name, value] of Object.entries({ ...("size" in offsets ? { size } : {}), ...values })) {
      const { at: offset, type } = offsets[name];
      if (type === "f64") view.setFloat64(at + offset, value, true);
      else if (type === "i64") view.setBigInt64(at + offset, BigInt(value), true);
      else if (type === "i32") view.setInt32(at + offset, value, true);
      else view.setUint32(at + offset, type === "list" ? value.at : value, true);
      if (type === "list") view.setBigInt64(at + offset + 8, BigInt(value.count), true);
    }
    return at;
  }

  free() {
    for (const at of this.blocks) this.engine.exports.free(at);
    this.blocks = [];
  }
}

export class Engine {
  /** Instantiates a WebAssembly.Module of this package. */
  static async of(module) {
    const engine = new Engine();
    engine.exports = await instantiate(module, () => {});
    if (!engine.exports.rigcast_parse) throw new RigcastError("the WebAssembly module is none of rigcast", "bad file");
    return engine;
  }

  bytes() {
    return new Uint8Array(this.exports.memory.buffer);
  }

  view() {
    return new DataView(this.exports.memory.buffer);
  }

  /** A copy of numbers of the module's memory. */
  copy(Type, at, count) {
    return new Type(this.exports.memory.buffer.slice(at, at + count * Type.BYTES_PER_ELEMENT));
  }

  textAt(at) {
    const bytes = this.bytes();
    return at === 0 ? "" : new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** The texts of an array of pointers. */
  textsAt(at, count) {
    const view = this.view();
    return Array.from({ length: count }, (_, i) => this.textAt(view.getUint32(at + 4 * i, true)));
  }

  /** The fields of a structure in memory; lists are read by their own fields. */
  read({ offsets }, at) {
    const view = this.view();
    const values = {};
    for (const [name, { at: offset, type }] of Object.entries(offsets)) {
      if (type === "f64") values[name] = view.getFloat64(at + offset, true);
      else if (type === "i64") values[name] = Number(view.getBigInt64(at + offset, true));
      else if (type === "i32") values[name] = view.getInt32(at + offset, true);
      else values[name] = view.getUint32(at + offset, true);
    }
    return values;
  }

  /** Calls a function rigcast_NAME, and throws what it reports. */
  call(name, ...given) {
    const called = this.exports[`rigcast_${name}`];
    if (!called) throw new RigcastError(`${name}: this module does not have it; rigcast.wasm has`, "bad argument");
    const status = called(...given);
    if (status !== 0) throw this.error(status);
  }

  error(status) {
    return new RigcastError(this.textAt(this.exports.rigcast_error()), NAMES[status] ?? "failed");
  }

  /** Runs work with memory that is freed afterwards. */
  with(work) {
    const arena = new Arena(this);
    try {
      return work(arena);
    } finally {
      arena.free();
    }
  }

  /** The object that a function makes: its last argument is where the pointer goes. */
  made(name, arguments_) {
    return this.with((arena) => {
      const out = arena.room(4);
      this.call(name, ...arguments_(arena), out);
      return this.view().getUint32(out, true);
    });
  }
}

const forgotten = globalThis.FinalizationRegistry ? new FinalizationRegistry((free) => free()) : null;

/** An object of the engine, with blocks of its memory: free() gives all back; what is forgotten is freed some time. */
export class Owned {
  constructor(engine, handle, release, blocks = []) {
    Object.defineProperty(this, "engine", { value: engine });
    this.handle = handle;
    this.release = () => {
      engine.exports[`rigcast_${release}`](handle);
      for (const at of blocks) engine.exports.free(at);
    };
    forgotten?.register(this, this.release, this);
  }

  /** Throws if the object was freed. */
  checkAlive(what) {
    if (this.handle === 0) throw new RigcastError(`the ${what} was freed`, "bad handle");
  }

  free() {
    if (this.handle === 0) return;
    forgotten?.unregister(this);
    this.handle = 0;
    this.release();
  }
}
