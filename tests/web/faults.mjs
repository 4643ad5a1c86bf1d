// What callers do wrong: node faults.mjs MODULE MODEL. Prints, as JSON, the sentence of each fault.

import { readFileSync } from "node:fs";
import { load } from "../../python/rigcast/web/rigcast.js";

const [, , wasm, file] = process.argv;
const model = await load(new Uint8Array(readFileSync(file)), { wasm: new Uint8Array(readFileSync(wasm)) });
const session = model.session();
const faults = {
  "half of a pose": () => model.evaluate(model.restPose.subarray(1)),
  "a pose without numbers": () => session.evaluate(model.restPose.map(() => NaN)),
  "an unknown channel": () => session.setChannels({ nobody: 1 }),
  "a vertex that is none": () => model.drag([1e6]),
  "no place for a vertex": () => model.drag([0]).to([1, 2]),
  "a freed session": () => (session.free(), session.evaluate(model.restPose)),
  "half of a surface": () => model.surface().pack(model.restVertices.subarray(3)),
  "a number for a file": () => load(7),
  "a freed model": () => (model.free(), model.evaluate(model.restPose)),
};
const told = {};
for (const [name, fault] of Object.entries(faults)) {
  try {
    told[name] = `nothing: ${await fault()}`;
  } catch (error) {
    told[name] = `${error.name}: ${error.message}`;
  }
}
console.log(JSON.stringify(told));
