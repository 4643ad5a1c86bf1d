// Stands in for the server in a page that was saved: it has every frame of the timeline, and plays them.

import { SummedFrames } from "./summed.js";

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** The scene and the frames as the server sent them, in base64. */
class SentFrames {
  constructor(texts) {
    this.texts = texts;
    this.count = texts.length - 1;
  }

  scene() {
    return bytesOf(this.texts[0]).buffer;
  }

  frame(index) {
    return bytesOf(this.texts[1 + index]).buffer;
  }
}

async function framesOf(stored) {
  if (Array.isArray(stored)) return new SentFrames(stored);
  const inflated = new Blob([bytesOf(stored)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new SummedFrames(await new Response(inflated).arrayBuffer());
}

export class Recording {
  /** stored: the scene, then the frames, as base64; or one text with sums of components. */
  constructor(on, stored) {
    this.on = on;
    this.state = { at: 0, playing: false, speed: 1 };
    framesOf(stored).then((frames) => {
      this.frames = frames;
      on.state(true);
      on.message(frames.scene());
      this.show();
    });
  }

  show() {
    if (this.frames) this.on.message(this.frames.frame(Math.floor(this.state.at)), this.state);
  }

  send(type, entries = {}) {
    if (type === "shown" || !this.frames) return;
    if (type === "seek") this.state.at = Math.min(Math.max(0, entries.at), this.frames.count - 1);
    else if (type === "speed") this.state.speed = entries.speed;
    else if (type === "play") this.play(entries.playing);
    else if (type === "grab") return this.on.missed(entries.pin);
    else return;
    this.show();
  }

  play(playing) {
    this.state.playing = playing;
    let before = performance.now();
    const step = (now) => {
      if (!this.state.playing) return;
      const shown = Math.floor(this.state.at);
      this.state.at = (this.state.at + ((now - before) / 1000) * this.on.rate() * this.state.speed) % this.frames.count;
      before = now;
      if (Math.floor(this.state.at) !== shown) this.show();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
