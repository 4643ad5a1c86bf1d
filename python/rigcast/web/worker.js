// A model on a thread of its own: evaluated there; typed arrays of results are handed over, all else is copied.
//
//   import { open } from "./worker.js";
//   const model = await open(bytesOrUrl);
//   const vertices = await model.evaluate(poses);
//
// The same file is the worker: it answers { id, call, arguments } with { id, value } or { id, error, kind }.

import { load, RigcastError } from "./rigcast.js";

const isWorker = typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope;

/** Opens a model in a worker: worker.d.ts names its calls, which return promises. */
export async function open(source, options = {}) {
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let count = 0;
  let ended = "";
  const end = (why) => {
    ended = why;
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new RigcastError(why, "bad handle"));
    waiting.clear();
  };
  worker.onerror = ({ message }) => end(`the worker did not start: ${message ?? "its script was not loaded"}`);
  worker.onmessage = ({ data: { id, value, error, kind } }) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error === undefined) resolve?.(value);
    else reject?.(kind ? new RigcastError(error, kind) : new Error(error));
  };
  const ask = (call, ...given) =>
    new Promise((resolve, reject) => {
      if (ended) reject(new RigcastError(ended, "bad handle"));
      else {
        waiting.set(++count, { resolve, reject });
        worker.postMessage({ id: count, call, given });
      }
    });
  try {
    const wasm = "wasm" in options ? { wasm: fromHere(options.wasm) } : {};
    const about = await ask("open", fromHere(source), { ...options, ...wasm });
    const calls = ["evaluate", "poses", "channelsOf", "vjp", "jvp", "confidence", "errorBound", "pose", "drag"];
    return { ...about, ...Object.fromEntries(calls.map((call) => [call, (...given) => ask(call, ...given)])), free: () => end("the model was freed") };
  } catch (error) {
    end(error.message);
    throw error;
  }
}

/** An address as the page means it, and as a message can hold it; bytes as they are. */
function fromHere(source) {
  return typeof source === "string" || source instanceof URL ? new URL(source, document.baseURI).href : source;
}

/** The calls that a worker answers. */
export class WorkerModel {
  async open(source, options) {
    this.model = await load(source, options);
    this.session = this.model.session();
    const { kind, name, vertexCount, columnCount, faces, restVertices, restPose, channels, channelsDecide } = this.model;
    return { kind, name, vertexCount, columnCount, faces, restVertices, restPose, channels, channelsDecide };
  }

  /** Vertices (V, 3) of one pose, of which only the changes are computed. */
  pose(pose) {
    return Float32Array.from(this.session.evaluate(pose));
  }

  drag(vertices, points, options) {
    const drag = this.model.drag(vertices);
    try {
      return drag.to(points, options);
    } finally {
      drag.free();
    }
  }

  async answer({ id, call, given }) {
    try {
      const value = await (this[call] ? this[call](...given) : this.model[call](...given));
      return [{ id, value }, ArrayBuffer.isView(value) ? [value.buffer] : []];
    } catch (error) {
      return [{ id, error: error.message, kind: error.kind }, []];
    }
  }
}

if (isWorker) {
  const here = new WorkerModel();
  globalThis.onmessage = async ({ data }) => globalThis.postMessage(...(await here.answer(data)));
}
