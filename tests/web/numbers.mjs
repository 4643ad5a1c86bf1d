// node numbers.mjs PACKED MATRICES.json OUT: restores a model's file as a page does.

import { readFileSync, writeFileSync } from "node:fs";

const [packed, matrices, out] = process.argv.slice(2);
const source = readFileSync(new URL("../../python/rigcast/viewer/_stored/page/numbers.js", import.meta.url), "utf8");
const { restored } = await import("data:text/javascript," + encodeURIComponent(source));
writeFileSync(out, restored(new Uint8Array(readFileSync(packed)), JSON.parse(readFileSync(matrices, "utf8"))));
