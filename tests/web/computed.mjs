// What the module computes with the models of native.py: node computed.mjs MODULE FOLDER. Prints, as JSON, of each kind and
// result how many bytes differ.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { load } from "../../python/rigcast/web/rigcast.js";

const [, , wasm, folder] = process.argv;
const module = new WebAssembly.Module(readFileSync(wasm));

const read = (place, name, Type) => {
  const bytes = readFileSync(`${place}/${name}`);
  return new Type(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};

/** Differing bytes; of other lengths, all of them. */
const different = (found, place, name) => {
  const a = new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
  const b = readFileSync(`${place}/${name}.out`);
  if (a.length !== b.length) return Math.max(a.length, b.length);
  return a.reduce((count, byte, i) => count + (byte !== b[i]), 0);
};

const told = {};
for (const kind of readdirSync(folder)) {
  const place = `${folder}/${kind}`;
  const model = await load(readFileSync(`${place}/model.safetensors`), { wasm: module });
  const poses = read(place, "poses.in", Float32Array);
  const results = { vertices: model.evaluate(poses), confidence: model.confidence(poses) };
  const session = model.session();
  const walked = [];
  for (let at = 0; at < poses.length; at += model.columnCount) walked.push(...session.evaluate(poses.subarray(at, at + model.columnCount)));
  results.session = Float32Array.from(walked);
  if (existsSync(`${place}/vjp.out`)) {
    results.vjp = model.vjp(poses, read(place, "cotangents.in", Float32Array));
    results.jvp = model.jvp(poses, read(place, "tangents.in", Float32Array));
    const { pose, errors } = model.drag([11, 3, 20, 7]).to(read(place, "targets.in", Float64Array));
    Object.assign(results, { dragged: pose, errors });
  }
  told[kind] = Object.fromEntries(Object.entries(results).map(([name, found]) => [name, different(found, place, name)]));
}
console.log(JSON.stringify(told));
