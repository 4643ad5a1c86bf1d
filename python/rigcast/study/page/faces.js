// Faces of a trial, pictures or live figures: loaded before they are shown, turned together, played if they are loops.

import { element } from "./dom.js";
import { Painter, facesOf } from "./figure.js";

const ready = new Map(); // name of a file to the decoded image, the triangles, or the vertices
const MOST = 600; // files that are kept
const DRAG = 0.4; // degrees a pixel
const CLICK = 4; // pixels: a longer way is a drag
let painter = null; // made for the first figure

async function decoded(name, again) {
  const address = `stimuli/${name}${again ? `?again=${again}` : ""}`;
  if (name.endsWith(".png")) {
    const image = new Image();
    image.src = address;
    await image.decode();
    return image;
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(response.statusText);
  const content = await response.arrayBuffer();
  return name.endsWith(".faces") ? facesOf(content) : new Float32Array(content);
}

/** Load and decode files; waits until the network gives them, however often it must be asked. */
export async function preload(names) {
  for (const name of names) {
    for (let wait = 200; !ready.has(name); wait = Math.min(2 * wait, 3000)) {
      try {
        ready.set(name, await decoded(name, wait > 200 && wait));
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

/** Names of all files of a trial. */
export function namesOf(trial) {
  const shown = [...(trial.reference ? [trial.reference] : []), ...trial.options];
  return shown.flatMap(({ files, faces }) => [...(faces ? [faces] : []), ...files.flat()]);
}

/** A face on the page; `stimulus` is {files: names by view and frame, faces: the triangles of a live figure, or ""}. */
export function faceOf(stimulus, edge, label, settings) {
  return stimulus.faces ? new LiveFace(stimulus, edge, label, settings) : new PictureFace(stimulus, edge, label, settings);
}

class Face {
  constructor(stimulus, surface, settings) {
    this.files = stimulus.files;
    this.fps = settings.fps;
    this.surface = surface;
    this.degrees = 0;
    this.seconds = 0;
    this.box = element("div", { className: "face" }, surface);
  }

  get isLoop() {
    return this.files[0].length > 1;
  }

  /** Show the frame of a time in seconds. */
  step(seconds) {
    this.seconds = seconds;
    this.draw();
  }

  turnTo(degrees) {
    this.degrees = degrees;
    this.draw();
  }

  /** The file of a view's present frame. */
  frame(view) {
    const row = this.files[view];
    return row[Math.floor(this.seconds * this.fps) % row.length];
  }
}

class PictureFace extends Face {
  constructor(stimulus, edge, label, settings) {
    super(stimulus, element("img", { alt: label, width: edge, height: edge }), settings);
    this.turnStep = settings.turn_step;
    this.draw();
  }

  get most() {
    return ((this.files.length - 1) / 2) * this.turnStep;
  }

  draw() {
    const name = this.frame((this.files.length - 1) / 2 + Math.round(this.degrees / this.turnStep));
    if (this.shown !== name) this.surface.src = ready.get(name)?.src ?? `stimuli/${name}`;
    this.shown = name;
  }
}

class LiveFace extends Face {
  constructor(stimulus, edge, label, settings) {
    const pixels = Math.round(edge * devicePixelRatio);
    const surface = element("canvas", { width: pixels, height: pixels, className: "live", role: "img" });
    surface.setAttribute("aria-label", label);
    surface.style.width = surface.style.height = `${edge}px`;
    super(stimulus, surface, settings);
    this.faces = ready.get(stimulus.faces);
    this.most = settings.turn;
    painter ??= new Painter();
    this.draw();
  }

  draw() {
    const name = this.frame(0);
    this.surface.dataset.shown = name;
    const drawn = painter.paint(this.faces, ready.get(name), this.degrees, this.surface.width);
    this.surface.getContext("2d").drawImage(drawn, 0, 0);
  }
}

/** Turns faces together around their vertical axis, by keys or by drags on live ones; `largest` is how far they were. */
export class Turning {
  constructor(faces) {
    this.faces = faces;
    this.degrees = this.largest = 0;
    this.way = 0; // pixels of the last drag
    for (const face of faces) if (face instanceof LiveFace) this.listen(face.surface);
  }

  by(degrees) {
    const most = Math.min(...this.faces.map((face) => face.most));
    this.degrees = Math.min(Math.max(this.degrees + degrees, -most), most);
    this.largest = Math.max(this.largest, Math.abs(this.degrees));
    for (const face of this.faces) face.turnTo(this.degrees);
  }

  /** True if what ends in a click was a drag. */
  get dragged() {
    return this.way > CLICK;
  }

  listen(surface) {
    surface.addEventListener("pointerdown", (event) => {
      surface.setPointerCapture(event.pointerId);
      this.way = 0;
    });
    surface.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      this.way += Math.abs(event.movementX) + Math.abs(event.movementY);
      this.by(DRAG * event.movementX);
    });
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
