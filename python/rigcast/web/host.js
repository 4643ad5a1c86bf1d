// What rigcast.wasm imports: the WASI calls and system calls that its C library knows. A page has no files, no
// environment and no terminal, so all but the clock say so.

const BAD_FILE = 8; // WASI's errno.badf
const NO_FILE = -2; // Linux's -ENOENT, of system calls

/** Instantiates a module; onGrowth is called when its memory has moved. */
export async function instantiate(module, onGrowth) {
  let exports = null;
  const view = () => new DataView(exports.memory.buffer);
  const nothing = () => BAD_FILE;
  const missing = () => NO_FILE;
  const wasi = {
    clock_time_get: (id, precision, at) => {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get: (count, size) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    proc_exit: (code) => {
      throw new Error(`rigcast.wasm ended with ${code}`);
    },
  };
  const known = { emscripten_notify_memory_growth: onGrowth };
  const imports = { env: {}, wasi_snapshot_preview1: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (!imports[from]) throw new Error(`the WebAssembly module asks for ${from}.${name}, which rigcast's do not`);
    imports[from][name] = from === "env" ? (known[name] ?? missing) : (wasi[name] ?? nothing);
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize?.();
  return exports;
}
