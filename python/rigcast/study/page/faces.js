// Pictures of a trial: loaded and decoded before they are shown, turned by arrow keys, played if they are loops.

import { element } from "./dom.js";

const ready = new Map(); // address to decoded image
const MOST = 600; // images that are kept

/** Load and decode pictures; waits until the network gives them, however often it must be asked. */
export async function preload(names) {
  for (const name of names) {
    for (let wait = 200; !ready.has(name); wait = Math.min(2 * wait, 3000)) {
      const image = new Image();
      image.src = `stimuli/${name}${wait > 200 ? `?again=${wait}` : ""}`;
      try {
        await image.decode();
        ready.set(name, image);
      } catch {
        await new Promise((done) => setTimeout(done, wait));
      }
    }
  }
  for (const name of ready.keys()) {
    if (ready.size <= MOST) break;
    if (!names.includes(name)) ready.delete(name);
  }
}

/** Names of all pictures of a trial. */
export function namesOf(trial) {
  return [...(trial.reference ? [trial.reference] : []), ...trial.options].flat(2);
}

/** One face on the page. */
export class Face {
  /** @param files names by view and frame */
  constructor(files, edge, label, fps) {
    this.files = files;
    this.view = (files.length - 1) / 2;
    this.fps = fps;
    this.image = element("img", { alt: label, width: edge, height: edge });
    this.box = element("div", { className: "face" }, this.image);
    this.step(0);
  }

  /** Show the frame of a time in seconds. */
  step(seconds) {
    const row = this.files[this.view];
    const name = row[Math.floor(seconds * this.fps) % row.length];
    if (this.shown !== name) this.image.src = ready.get(name)?.src ?? `stimuli/${name}`;
    this.shown = name;
  }

  get isLoop() {
    return this.files[0].length > 1;
  }
}

/** Plays loops of several faces together until `stop` is called. */
export class Loop {
  constructor(faces) {
    this.faces = faces;
    this.running = faces.some((face) => face.isLoop);
    const begin = performance.now();
    const next = (now) => {
      if (!this.running) return;
      for (const face of faces) face.step(Math.max(now - begin, 0) / 1000);
      requestAnimationFrame(next);
    };
    if (this.running) requestAnimationFrame(next);
  }

  stop() {
    this.running = false;
  }
}
