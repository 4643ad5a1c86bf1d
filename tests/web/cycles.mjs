// Loads and frees a model again and again: node cycles.mjs MODULE MODEL COUNT. Prints the memory in bytes after ten cycles
// and after all.

import { readFileSync } from "node:fs";
import { engineOf, parse } from "../../python/rigcast/web/rigcast.js";

const [, , wasm, file, count] = process.argv;
const engine = await engineOf(new Uint8Array(readFileSync(wasm)));
const bytes = new Uint8Array(readFileSync(file));
const sizes = [];
for (let i = 1; i <= Number(count); ++i) {
  const model = parse(engine, bytes);
  const session = model.session();
  const surface = model.surface();
  surface.pack(session.vertices);
  const drag = model.drag([0]);
  for (const owned of [drag, surface, session, model]) owned.free();
  model.free(); // twice is allowed
  if (i === 10 || i === Number(count)) sizes.push(engine.bytes().length);
}
console.log(JSON.stringify(sizes));
