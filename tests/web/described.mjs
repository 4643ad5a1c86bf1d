// Facts of the module and of the package around it: node described.mjs MODULE.

import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";
import * as rigcast from "../../python/rigcast/web/rigcast.js";

const bytes = readFileSync(process.argv[2]);
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).map(({ module, name }) => `${module}.${name}`);
console.log(JSON.stringify({ bytes: bytes.length, brotli: brotliCompressSync(bytes, { params }).length, imports, exports: Object.keys(rigcast) }));
