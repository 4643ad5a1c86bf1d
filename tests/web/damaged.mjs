// Reads damaged files: node damaged.mjs MODULE FOLDER. Prints, as JSON, how many were read and how many refused; anything
// else than an error of the engine ends the program.

import { readdirSync, readFileSync } from "node:fs";
import { engineOf, parse, RigcastError } from "../../python/rigcast/web/rigcast.js";

const [, , wasm, folder] = process.argv;
const engine = await engineOf(new Uint8Array(readFileSync(wasm)));
const told = { read: 0, refused: 0, wordless: 0 };
for (const name of readdirSync(folder)) {
  try {
    const model = parse(engine, new Uint8Array(readFileSync(`${folder}/${name}`)));
    model.evaluate(model.restPose);
    model.free();
    told.read += 1;
  } catch (error) {
    if (!(error instanceof RigcastError)) throw error;
    told.refused += 1;
    if (error.message.length < 10) told.wordless += 1;
  }
}
console.log(JSON.stringify(told));
