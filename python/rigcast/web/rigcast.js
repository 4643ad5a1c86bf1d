// rigcast in browsers and node: models that are read, posed, dragged and played without a server.
//
//   import { load } from "./rigcast.js";
//   const model = await load(bytesOrUrl);
//   const session = model.session();
//   session.setChannels({ elbow_bend: 40 });
//   draw(session.vertices);
//
// Arrays are row-major and flat: poses (T, C), vertices (T, V, 3). rigcast.d.ts has the types.

import { Engine, layout, Owned, RigcastError } from "./engine.js";
import { Drag } from "./drag.js";
import { Player } from "./player.js";
import { Surface } from "./surface.js";

export { RigcastError } from "./engine.js";

const pointers = (...names) => names.map((name) => [name, "u32"]);
const counts = (...names) => names.map((name) => [name, "i64"]);
const DESCRIPTION = layout([
  ...pointers("size", "kind", "name", "up_axis"),
  ["meters_per_unit", "f64"],
  ["pose_limit", "f64"],
  ...counts("vertices", "faces", "joints", "columns", "channels", "parts", "materials", "uvs", "detail_segments"),
  ...pointers("rest_vertices", "face_corners", "rest_pose", "column_ranges", "column_names", "joint_names", "joint_parents"),
  ...pointers("joint_rest", "channel", "part_names", "vertex_parts", "material_names", "face_materials", "uv", "uv_corners"),
  ...pointers("metadata"),
  ["channels_decide", "i32"],
]);
const CHANNEL = layout([
  ...pointers("name", "kind", "unit", "reason"),
  ["low", "f64"],
  ["high", "f64"],
  ["rest", "f64"],
  ["joint", "i32"],
  ["is_whole", "i32"],
]);

const byAddress = new Map();
const byObject = new WeakMap();

/** The engine of a module: bytes, a URL, a WebAssembly.Module, or by default the file beside this one. */
export function engineOf(wasm = new URL("rigcast.wasm", import.meta.url)) {
  const isAddress = typeof wasm === "string" || wasm instanceof URL;
  const [engines, key] = isAddress ? [byAddress, addressOf(wasm).href] : [byObject, wasm];
  if (!engines.has(key)) {
    const made = engineFrom(wasm);
    engines.set(key, made);
    made.catch(() => engines.delete(key));
  }
  return engines.get(key);
}

async function engineFrom(wasm) {
  return Engine.of(wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(await bytesOf(wasm)));
}

/** A text is an address relative to the page, or in node to the working directory. */
function addressOf(source) {
  if (source instanceof URL) return source;
  const base = globalThis.document?.baseURI ?? globalThis.location?.href ?? `file://${globalThis.process?.cwd?.() ?? ""}/`;
  return new URL(source, base);
}

async function bytesOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof source !== "string" && !(source instanceof URL)) throw new TypeError(`load takes bytes, a URL or a text, not ${source}`);
  const url = addressOf(source);
  if (url.protocol === "file:" && globalThis.process) return new Uint8Array(await (await import("node:fs/promises")).readFile(url));
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Reads a model file: its bytes, or a URL. name stands in errors. */
export async function load(source, { wasm, name = "the model" } = {}) {
  const engine = await engineOf(wasm);
  return parse(engine, await bytesOf(source), name);
}

/** Reads a synthesizer, whose players move a rig without end. */
export async function loadSynthesizer(source, { wasm, name = "the synthesizer" } = {}) {
  const engine = await engineOf(wasm);
  return Synthesizer.parse(engine, await bytesOf(source), name);
}

function handleOf(engine, bytes, name) {
  return engine.made("parse", (arena) => [arena.put(bytes), bytes.length, arena.text(name)]);
}

/** The same as load, of an engine and bytes that are there. */
export function parse(engine, bytes, name = "the model") {
  return new Model(engine, handleOf(engine, bytes, name));
}

/** A model of any kind. */
export class Model extends Owned {
  constructor(engine, handle) {
    super(engine, handle, "model_free");
    const d = engine.with((arena) => {
      const at = arena.structure(DESCRIPTION, {});
      engine.call("describe", handle, at);
      return engine.read(DESCRIPTION, at);
    });
    this.kind = engine.textAt(d.kind);
    this.name = engine.textAt(d.name);
    this.upAxis = engine.textAt(d.up_axis);
    this.metersPerUnit = d.meters_per_unit;
    [this.vertexCount, this.faceCount, this.columnCount] = [d.vertices, d.faces, d.columns];
    this.restVertices = engine.copy(Float32Array, d.rest_vertices, 3 * d.vertices);
    this.faces = engine.copy(Int32Array, d.face_corners, 4 * d.faces);
    this.restPose = engine.copy(Float32Array, d.rest_pose, d.columns);
    this.columnRanges = engine.copy(Float32Array, d.column_ranges, 2 * d.columns);
    this.columnNames = engine.textsAt(d.column_names, d.columns);
    this.jointNames = engine.textsAt(d.joint_names, d.joints);
    this.jointParents = engine.copy(Int32Array, d.joint_parents, d.joints);
    this.jointRest = engine.copy(Float32Array, d.joint_rest, 12 * d.joints);
    this.channels = Array.from({ length: d.channels }, (_, i) => this.#channel(d.channel + i * CHANNEL.size));
    this.channelsDecide = d.channels_decide === 1;
    this.detailSegments = d.detail_segments;
    this.metadata = JSON.parse(engine.textAt(d.metadata) || "{}");
  }

  #channel(at) {
    const { name, kind, unit, reason, low, high, rest, joint, is_whole } = this.engine.read(CHANNEL, at);
    const [nameText, kindText, unitText, reasonText] = [name, kind, unit, reason].map((text) => this.engine.textAt(text));
    return { name: nameText, kind: kindText, unit: unitText, reason: reasonText, low, high, rest, joint, isWhole: is_whole === 1 };
  }

  #frames(array, width, name) {
    if (array.length % width !== 0) throw new RangeError(`${name} has ${array.length} numbers; it must be a multiple of ${width}`);
    return array.length / width;
  }

  /** Poses as the engine takes them, and how many they are. */
  #posed(poses) {
    const given = Float32Array.from(poses);
    return [given, this.#frames(given, this.columnCount, "poses")];
  }

  /** Calls rigcast_NAME with input arrays and one result of Type; threads as the last argument if it takes them. */
  #results(name, frames, inputs, Type, count, ...last) {
    return this.engine.with((arena) => {
      const given = inputs.flatMap((array) => [arena.put(array), BigInt(array.length)]);
      const out = arena.room(count * Type.BYTES_PER_ELEMENT);
      this.engine.call(name, this.handle, BigInt(frames), ...given, out, BigInt(count), ...last);
      return this.engine.copy(Type, out, count);
    });
  }

  /** Poses (T, C) of channels (T, N). */
  poses(channels) {
    const given = Float64Array.from(channels);
    const frames = this.#frames(given, this.channels.length, "channels");
    return this.#results("poses", frames, [given], Float32Array, frames * this.columnCount);
  }

  /** Channels (T, N) that come nearest to poses (T, C). */
  channelsOf(poses) {
    const [given, frames] = this.#posed(poses);
    return this.#results("channels", frames, [given], Float64Array, frames * this.channels.length, 0, 0n);
  }

  /** Vertices (T, V, 3) of poses (T, C). */
  evaluate(poses) {
    const [given, frames] = this.#posed(poses);
    return this.#results("evaluate", frames, [given], Float32Array, frames * 3 * this.vertexCount, 1);
  }

  /** Gradients (T, C) of sum(vertices * cotangents), for cotangents (T, V, 3). */
  vjp(poses, cotangents) {
    const [given, frames] = this.#posed(poses);
    return this.#results("vjp", frames, [given, Float32Array.from(cotangents)], Float32Array, given.length, 1);
  }

  /** Derivatives (T, V, 3) of the vertices along tangents (T, C). */
  jvp(poses, tangents) {
    const [given, frames] = this.#posed(poses);
    return this.#results("jvp", frames, [given, Float32Array.from(tangents)], Float32Array, frames * 3 * this.vertexCount, 1);
  }

  /** Confidences (T) from 0 to 1: 1 among the training poses. */
  confidence(poses) {
    const [given, frames] = this.#posed(poses);
    return this.#results("confidence", frames, [given], Float32Array, frames);
  }

  /** Bounds (T, V) below which 95 % of held-out errors lie; throws for models that state none. */
  errorBound(poses) {
    const [given, frames] = this.#posed(poses);
    return this.#results("error_bound", frames, [given], Float32Array, frames * this.vertexCount, 1);
  }

  /** A model of the given vertices alone, in this order. */
  restricted(vertices) {
    const chosen = Int32Array.from(vertices);
    return new Model(this.engine, this.engine.made("restrict", (arena) => [this.handle, arena.put(chosen), BigInt(chosen.length)]));
  }

  /** One pose after another, of which only the changes are computed. */
  session() {
    return new Session(this);
  }

  /** Poses in which vertices are where they are pulled to. */
  drag(vertices) {
    return new Drag(this, vertices);
  }

  /** The mesh as graphics hardware reads it, and what a ray meets of it. */
  surface() {
    return new Surface(this);
  }
}

/** A model that is posed again and again. */
export class Session extends Owned {
  #pose;
  #at;
  #poseAt;
  #confidence = null;

  constructor(model) {
    const { engine } = model;
    const blocks = [];
    super(engine, engine.made("session_new", () => [model.handle]), "session_free", blocks);
    this.model = model;
    const room = engine.exports.malloc(4 * (3 * model.vertexCount + model.columnCount)) >>> 0;
    if (room === 0) throw new RigcastError("there is not enough memory", "no memory");
    blocks.push(room);
    [this.#at, this.#poseAt] = [room, room + 12 * model.vertexCount];
    this.evaluate(model.restPose);
  }

  /** The vertices (V, 3) as they stand: a view of the engine's memory. Ask again for it after any other call. */
  get vertices() {
    this.checkAlive("session");
    return new Float32Array(this.engine.exports.memory.buffer, this.#at, 3 * this.model.vertexCount);
  }

  get pose() {
    return this.#pose;
  }

  /** The confidence of the pose, from 0 to 1. */
  get confidence() {
    this.#confidence ??= this.model.confidence(this.#pose)[0];
    return this.#confidence;
  }

  /** Poses the model (C); returns the vertices. */
  evaluate(pose) {
    this.checkAlive("session");
    const { vertexCount, columnCount } = this.model;
    const given = Float32Array.from(pose);
    new Float32Array(this.engine.exports.memory.buffer, this.#poseAt, columnCount).set(given.subarray(0, columnCount));
    this.engine.call("session_evaluate", this.handle, this.#poseAt, BigInt(given.length), this.#at, BigInt(3 * vertexCount));
    this.#pose = given;
    this.#confidence = null;
    return this.vertices;
  }

  /** Poses the model by channels by name; the others are at rest. */
  setChannels(values) {
    const { channels } = this.model;
    const row = Float64Array.from(channels, (channel) => values[channel.name] ?? channel.rest);
    for (const name in values) {
      if (!channels.some((channel) => channel.name === name)) throw new RangeError(`no channel is called "${name}"`);
    }
    return this.evaluate(this.model.poses(row));
  }

  /** The quality of what follows, from 0 to 1 per detail segment. */
  setDetail(detail) {
    const given = Float32Array.from(detail);
    this.engine.with((arena) => this.engine.call("session_set_detail", this.handle, arena.put(given), BigInt(given.length)));
  }
}

const SYNTHESIS = layout([
  ["size", "u32"],
  ["fps", "f64"],
  ...counts("labels", "controls"),
  ...pointers("label_names", "control_names", "limits", "metadata"),
]);

/** What plays motion in the manner of labelled clips. */
export class Synthesizer extends Owned {
  constructor(engine, handle) {
    super(engine, handle, "model_free");
    const d = engine.with((arena) => {
      const at = arena.structure(SYNTHESIS, {});
      engine.call("describe_synthesis", handle, at);
      return engine.read(SYNTHESIS, at);
    });
    this.fps = d.fps;
    this.labels = engine.textsAt(d.label_names, d.labels);
    this.controlNames = engine.textsAt(d.control_names, d.controls);
    this.limits = engine.copy(Float32Array, d.limits, 2 * d.controls);
    this.metadata = JSON.parse(engine.textAt(d.metadata) || "{}");
  }

  /** Of an engine and bytes that are there. */
  static parse(engine, bytes, name = "the synthesizer") {
    return new Synthesizer(engine, handleOf(engine, bytes, name));
  }

  /** A character that plays; the same seed and commands give the same frames. */
  player(seed = 0, label = this.labels[0]) {
    return new Player(this, seed, label);
  }
}
