// Stands in for the server in a page that was saved: it has every frame of the timeline, and plays them.

const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;

export class Recording {
  /** texts: the scene, then the frames, as base64. */
  constructor(on, texts) {
    this.on = on;
    this.texts = texts;
    this.state = { at: 0, playing: false, speed: 1 };
    queueMicrotask(() => {
      on.state(true);
      on.message(decoded(texts[0]));
      this.show();
    });
  }

  show() {
    this.on.message(decoded(this.texts[1 + Math.floor(this.state.at)]), this.state);
  }

  send(type, entries = {}) {
    if (type === "shown") return;
    if (type === "seek") this.state.at = Math.min(Math.max(0, entries.at), this.texts.length - 2);
    else if (type === "speed") this.state.speed = entries.speed;
    else if (type === "play") this.play(entries.playing);
    else if (type === "grab") return this.on.missed(entries.grab);
    else return;
    this.show();
  }

  play(playing) {
    this.state.playing = playing;
    let before = performance.now();
    const step = (now) => {
      if (!this.state.playing) return;
      const count = this.texts.length - 1;
      this.state.at = (this.state.at + ((now - before) / 1000) * this.on.rate() * this.state.speed) % count;
      before = now;
      this.show();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
}
