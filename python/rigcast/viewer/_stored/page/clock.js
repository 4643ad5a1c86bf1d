// The timeline of a page without a server: a clip, keys over it, or what a synthesizer plays; as _timeline.py and _take.py.

const FRAMES = 96;
const MOST_FRAMES = 100000;
const KEPT = 60; // seconds that a synthesizer's timeline keeps
const MOST_AT_ONCE = 0.5; // seconds that are played at once

const between = (low, value, high) => Math.min(Math.max(value, low), high);

export class Clock {
  /** rest: (N) sliders; clip: { rows: [(N)], poses: [(C)] or null, fps }. */
  constructor(rest, { rows = null, poses = null, fps = 30 } = {}) {
    Object.assign(this, { rest, rows, poses, fps, speed: 1, playing: false, at: 0, since: 0 });
    this.frames = rows?.length ?? FRAMES;
    this.keys = new Map();
  }

  get isEmpty() {
    return this.rows === null && this.keys.size === 0;
  }

  get frame() {
    return Math.min(Math.floor(this.at), this.frames - 1);
  }

  base(frame) {
    return this.rows ? this.rows[Math.min(frame, this.rows.length - 1)] : this.rest;
  }

  /** The offset that the keys add: linear between two, constant beyond the first and the last. */
  offset(frame) {
    const times = [...this.keys.keys()].sort((a, b) => a - b);
    const after = times.findIndex((time) => time > frame);
    if (after <= 0) return this.keys.get(times[after === 0 ? 0 : times.length - 1]);
    const [begin, end] = [times[after - 1], times[after]];
    const share = (frame - begin) / (end - begin);
    return this.keys.get(begin).map((value, i) => (1 - share) * value + share * this.keys.get(end)[i]);
  }

  row(frame) {
    const base = this.base(frame);
    if (!this.keys.size) return base;
    const offset = this.offset(frame);
    return base.map((value, i) => value + offset[i]);
  }

  pose(frame) {
    return this.poses && !this.keys.size ? this.poses[Math.min(frame, this.poses.length - 1)] : null;
  }

  setKey(row) {
    const base = this.base(this.frame);
    this.keys.set(this.frame, row.map((value, i) => value - base[i]));
  }

  removeKey() {
    this.keys.delete(this.frame);
  }

  resize(frames) {
    this.frames = between(this.rows?.length ?? 2, frames, MOST_FRAMES);
    this.at = Math.min(this.at, this.frames - 1);
  }

  play(playing, now) {
    Object.assign(this, { playing, since: now });
  }

  seek(at) {
    this.at = between(0, at, this.frames - 1);
  }

  /** Moves to where playing has come; returns whether another frame is shown. */
  advance(now) {
    const before = this.frame;
    this.at = (this.at + (now - this.since) * this.fps * this.speed) % this.frames;
    this.since = now;
    return this.frame !== before;
  }

  facts() {
    const { frames, fps, at, playing, speed, keys } = this;
    return { frames, fps, at, playing, speed, keys: [...keys.keys()].sort((a, b) => a - b), clip: this.rows !== null, picture: null };
  }
}

/** What plays without end: the last minute, and the player that goes on from it. Sliders add a layer to it. */
export class EndlessClock extends Clock {
  /** columns: the slider of each control. */
  constructor(rest, synthesizer, columns, seed) {
    super(rest, { rows: [], fps: synthesizer.fps });
    Object.assign(this, { synthesizer, columns, layer: rest.map(() => 0) });
    this.restart(seed, synthesizer.labels[0]);
  }

  restart(seed, label) {
    this.player?.free();
    this.player = this.synthesizer.player(seed, label);
    this.player.idle(label);
    Object.assign(this, { seed, requested: label, rows: [], due: 0 });
    this.make(1);
  }

  request(label) {
    this.player.idle(label);
    this.requested = label;
  }

  get label() {
    return this.player.label;
  }

  row(frame) {
    return this.base(frame).map((value, i) => value + this.layer[i]);
  }

  pose() {
    return null;
  }

  setKey() {
    throw new Error("a synthesizer plays without end and has no keys: sliders add to what it does");
  }

  removeKey() {}

  resize() {
    throw new Error("a synthesizer plays without end: its timeline keeps the last minute");
  }

  play(playing, now) {
    super.play(playing, now);
    if (playing) this.at = this.frames - 1;
  }

  advance(now) {
    const passed = Math.max(now - this.since, 0) * this.speed;
    this.since = now;
    this.due += Math.min(passed, MOST_AT_ONCE) * this.fps;
    const count = Math.floor(this.due);
    this.due -= count;
    if (count > 0) this.make(count);
    return count > 0;
  }

  make(count) {
    const made = this.player.step(count);
    const width = this.columns.length;
    for (let t = 0; t < count; ++t) {
      const row = Float32Array.from(this.rest);
      this.columns.forEach((column, k) => (row[column] = made[t * width + k]));
      this.rows.push(row);
    }
    this.rows.splice(0, Math.max(0, this.rows.length - Math.max(Math.round(KEPT * this.fps), 2)));
    this.frames = this.rows.length;
    this.at = this.frames - 1;
  }
}
