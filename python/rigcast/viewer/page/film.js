// Every frame of the timeline as a picture: a .zip of them, or parts of a movie that the server makes.

import { download, zipped } from "./save.js";

const PART = 45000; // bytes of a picture per message: in base64 below the server's limit of 64 KB
const PAUSE = 7; // milliseconds between two parts: below the server's limit of 240 messages per second

export class Film {
  /** view: { link, timeline, picture(), notice(text), fileName() }. */
  constructor(view) {
    this.view = view;
    this.waiting = null; // for a frame
    this.kept = null; // for the server's word that it has a picture
    this.running = false;
  }

  /** A frame was drawn. */
  shown(header) {
    if (this.waiting && Math.floor(header.timeline.at) === this.waiting.frame) this.waiting.done();
  }

  /** The server has so many pictures; undefined: it said why it makes no movie. */
  answered(pictures) {
    this.kept?.(pictures);
    this.kept = null;
  }

  async sequence() {
    const files = [];
    await this.run(async (blob, frame) => {
      files.push({ name: `${this.view.fileName()}.${String(frame).padStart(4, "0")}.png`, bytes: await bytesOf(blob) });
      return true;
    });
    if (files.length) download(`${this.view.fileName()}-pictures.zip`, zipped(files));
  }

  async movie() {
    if (this.running) return;
    if ((await this.asked("movie", { step: "begin" })) === undefined) return;
    const complete = await this.run(async (blob, frame) => (await this.send(await bytesOf(blob))) === frame + 1);
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
      await shown;
      this.waiting = null;
      complete = await take(await this.view.picture(), frame);
      notice.call(this.view, `Picture ${frame + 1} of ${frames}`);
    }
    link.send("seek", { at });
    this.running = false;
    return complete;
  }

  asked(type, entries) {
    const answer = new Promise((done) => (this.kept = done));
    this.view.link.send(type, entries);
    return answer;
  }

  async send(bytes) {
    for (let begin = 0; ; begin += PART) {
      const data = btoa(String.fromCharCode(...bytes.subarray(begin, begin + PART)));
      await new Promise((done) => setTimeout(done, PAUSE));
      if (begin + PART >= bytes.length) return this.asked("picture", { data, last: true });
      this.view.link.send("picture", { data, last: false });
    }
  }
}

async function bytesOf(blob) {
  return new Uint8Array(await blob.arrayBuffer());
}
