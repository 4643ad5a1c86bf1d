// Opens a page that carries its model: reads what lies in it, and gives the view a stage in place of a server.

import { restored } from "./numbers.js";
import { engineOf } from "./rigcast.js";
import { Stage } from "./stage.js";
import { unpacked } from "./wire.js";

function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

/** The arrays of rows of a clip. */
function rowsOf(numbers, [count, width]) {
  return Array.from({ length: count }, (_, t) => numbers.slice(t * width, (t + 1) * width));
}

/** What _carried.py packed. */
function read(buffer) {
  const { header, offset } = unpacked(buffer);
  let at = offset;
  const take = (size) => new Uint8Array(buffer.slice(at, (at += size)));
  const scene = take(header.scene).buffer;
  const wasm = take(header.wasm);
  const figures = header.figures.map((about) => ({ ...about, bytes: restored(take(about.bytes), about.matrices) }));
  const numbers = (shape) => rowsOf(new Float32Array(take(4 * shape[0] * shape[1]).buffer), shape);
  let { clip, synthesizer } = header;
  if (clip) clip = { fps: clip.fps, rows: numbers(clip.rows), poses: clip.poses ? numbers(clip.poses) : null };
  if (synthesizer) synthesizer = { ...synthesizer, bytes: take(synthesizer.bytes) };
  return { ...header, scene, wasm, figures, clip, synthesizer };
}

/** The page around this one asks for a frame, or for a moment of what plays: { label, seed, frame }. */
addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || !window.view) return;
  if (data?.moment) window.view.link.send("moment", data.moment);
  else if (Number.isFinite(data?.seek)) window.view.link.send("seek", { at: data.seek });
});

try {
  const carried = document.getElementById("carried");
  const stored = read(await inflated(bytesOf(carried.textContent)));
  carried.remove();
  const engine = await engineOf(await WebAssembly.compile(stored.wasm));
  document.body.classList.add("carried");
  document.body.classList.toggle("small", location.hash === "#small"); // of a frame in a page of text: the stage alone
  document.body.classList.toggle("still", !stored.clip && !stored.synthesizer);
  window.rigcastSource = (on) => new Stage(on, engine, stored);
  await import("./main.js");
  if (window.parent !== window) window.parent.postMessage("ready", "*");
} catch (error) {
  const lost = document.getElementById("lost");
  lost.hidden = false;
  lost.textContent = `This page cannot be opened here: ${error.message}`;
}
