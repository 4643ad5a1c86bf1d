// The time of one pose: node speed.mjs MODULE MODEL POSES. Prints the median of milliseconds of sessions, every joint moving.

import { readFileSync } from "node:fs";
import { load } from "../../python/rigcast/web/rigcast.js";

const [, , wasm, file, posesFile] = process.argv;
const model = await load(new Uint8Array(readFileSync(file)), { wasm: new Uint8Array(readFileSync(wasm)) });
const bytes = readFileSync(posesFile);
const poses = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const session = model.session();
const times = [];
for (let round = 0; round < 6; ++round) {
  for (let at = 0; at < poses.length; at += model.columnCount) {
    const pose = poses.subarray(at, at + model.columnCount);
    const begin = performance.now();
    session.evaluate(pose);
    times.push(performance.now() - begin);
  }
}
times.splice(0, times.length / 3); // compiling ends meanwhile
times.sort((a, b) => a - b);
console.log(JSON.stringify({ median: times[times.length >> 1], least: times[0] }));
