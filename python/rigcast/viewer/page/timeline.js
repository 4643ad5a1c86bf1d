// Play, scrub, speed, keys, and which clip plays.

import { ink } from "./theme.js";

const NO_CLIP = "no clip";

export class Timeline {
  constructor(elements, link) {
    this.elements = elements;
    this.link = link;
    this.state = null;
    const { play, clip, key, unkey, previous, next, speed, frames, track } = elements;
    play.addEventListener("click", () => this.toggle());
    clip.addEventListener("change", () => {
      link.send("clip", { name: clip.value });
      clip.blur();
    });
    key.addEventListener("click", () => link.send("key"));
    unkey.addEventListener("click", () => link.send("unkey"));
    previous.addEventListener("click", () => this.jump(-1));
    next.addEventListener("click", () => this.jump(1));
    speed.addEventListener("change", () => link.send("speed", { speed: Number(speed.value) }));
    frames.addEventListener("change", () => link.send("frames", { frames: Math.max(2, Math.round(Number(frames.value)) || 2) }));
    track.addEventListener("pointerdown", (event) => {
      track.setPointerCapture(event.pointerId);
      this.scrub(event);
    });
    track.addEventListener("pointermove", (event) => event.buttons & 1 && this.scrub(event));
    new ResizeObserver(() => this.draw()).observe(track);
  }

  /** The clips that can be chosen. */
  load(names) {
    const { clip } = this.elements;
    clip.hidden = names.length === 0;
    clip.replaceChildren(new Option(NO_CLIP, ""), ...names.map((name) => new Option(name, name)));
  }

  toggle() {
    if (this.state) this.link.send("play", { playing: !this.state.playing });
  }

  /** To the key before or after the present frame. */
  jump(way) {
    const at = Math.floor(this.state.at);
    const keys = this.state.keys.filter((key) => way * (key - at) > 0);
    if (keys.length) this.link.send("seek", { at: way > 0 ? Math.min(...keys) : Math.max(...keys) });
  }

  scrub(event) {
    const box = this.elements.track.getBoundingClientRect();
    const share = (event.clientX - box.left - MARGIN) / (box.width - 2 * MARGIN);
    const at = Math.round(Math.min(1, Math.max(0, share)) * (this.state.frames - 1));
    if (this.state.playing) this.link.send("play", { playing: false });
    this.link.send("seek", { at });
  }

  show(state) {
    const { play, clip, time, frames, unkey } = this.elements;
    this.state = state;
    const frame = Math.floor(state.at);
    play.textContent = state.playing ? "Stop" : "Play";
    time.textContent = `${frame} / ${state.frames - 1}  ${state.fps} fps`;
    if (document.activeElement !== clip) clip.value = state.name ?? "";
    unkey.disabled = !state.keys.includes(frame);
    if (document.activeElement !== frames) frames.value = state.frames;
    this.draw();
  }

  draw() {
    const { track } = this.elements;
    if (!this.state) return;
    const ratio = window.devicePixelRatio;
    const [width, height] = [track.clientWidth, track.clientHeight];
    if (track.width !== Math.round(width * ratio)) track.width = Math.round(width * ratio);
    if (track.height !== Math.round(height * ratio)) track.height = Math.round(height * ratio);
    const context = track.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, width, height, this.state);
  }
}

const MARGIN = 8; // pixels left of the first and right of the last frame

function paint(context, width, height, { frames, at, keys, clip }) {
  const x = (frame) => MARGIN + (frame / Math.max(1, frames - 1)) * (width - 2 * MARGIN);
  context.clearRect(0, 0, width, height);
  context.fillStyle = ink("sunk");
  context.fillRect(0, 4, width, height - 8);
  if (clip) {
    context.fillStyle = ink("band");
    context.fillRect(x(0), height - 9, x(frames - 1) - x(0), 3);
  }
  context.fillStyle = ink("off");
  context.font = "9px system-ui, sans-serif";
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000].find((n) => (n / frames) * width > 42) ?? frames;
  for (let frame = 0; frame < frames; frame += step) {
    context.fillRect(Math.round(x(frame)), height - 10, 1, 6);
    context.fillText(String(frame), x(frame) + 3, 13);
  }
  context.fillStyle = ink("accent");
  for (const key of keys) {
    context.save();
    context.translate(x(key), height / 2 + 3);
    context.rotate(Math.PI / 4);
    context.fillRect(-4, -4, 8, 8);
    context.restore();
  }
  context.fillStyle = ink("cursor");
  context.fillRect(x(Math.floor(at)) - 1, 2, 2, height - 4);
}
