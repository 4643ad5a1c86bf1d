// Every frame of the timeline as a picture: a .zip of them, or parts of a movie that the server makes.

import { download, zipped } from "./save.js";

export class Film {
  /** view: { link, uploads, dropping, timeline, picture(), notice(text), fileName() }. */
  constructor(view) {
    this.view = view;
    this.waiting = null; // for a frame
    this.begun = null; // for the server's word that it takes pictures
    this.running = false;
  }

  /** A frame was drawn. */
  shown(header) {
    if (this.waiting && Math.floor(header.timeline.at) === this.waiting.frame) this.waiting.done(true);
  }

  /** Whether the server takes pictures; if not it says why. */
  answered(takes) {
    this.begun?.(takes);
    this.begun = null;
  }

  /** Another character is shown, or no frame comes: what was filmed is gone. */
  interrupt() {
    this.waiting?.done(false);
  }

  /** Says so if a file is on its way, which pictures would cut off. */
  isHindered() {
    const { busy } = this.view.dropping;
    if (busy) this.view.notice(`${busy} is being opened: save pictures when it is.`);
    return Boolean(busy);
  }

  async sequence() {
    if (this.isHindered()) return;
    const files = [];
    const complete = await this.run(async (blob, frame) => {
      files.push({ name: `${this.view.fileName()}.${String(frame).padStart(4, "0")}.png`, bytes: await bytesOf(blob) });
      return true;
    });
    if (complete) download(`${this.view.fileName()}-pictures.zip`, zipped(files));
  }

  async movie() {
    if (this.running || this.isHindered()) return;
    const begun = new Promise((done) => (this.begun = done));
    this.view.link.send("movie", { step: "begin" });
    if (!(await begun)) return;
    const complete = await this.run((blob) => this.view.uploads.send("picture", {}, blob));
    this.view.link.send("movie", { step: complete ? "end" : "cancel" });
    if (complete) this.view.notice("The movie is being made ...");
  }

  /** Calls take(picture, frame) for every frame of the timeline until it returns false; returns whether it never did. */
  async run(take) {
    if (this.running) return false;
    this.running = true;
    const { link, timeline, notice } = this.view;
    const { frames, at } = timeline.state;
    link.send("play", { playing: false });
    let complete = true;
    for (let frame = 0; frame < frames && complete; ++frame) {
      const shown = new Promise((done) => (this.waiting = { frame, done }));
      link.send("seek", { at: frame });
      const isShown = await shown;
      this.waiting = null;
      if (!isShown) {
        this.running = false;
        return false;
      }
      complete = await take(await this.view.picture(), frame);
      if (complete) notice.call(this.view, `Picture ${frame + 1} of ${frames}`);
    }
    link.send("seek", { at });
    this.running = false;
    return complete;
  }
}

async function bytesOf(blob) {
  return new Uint8Array(await blob.arrayBuffer());
}
