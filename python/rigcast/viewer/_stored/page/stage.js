// Stands in for the server in a page that carries its model: it takes the page's messages and makes frames, as _stage.py.
// A frame is made when the page has shown the last one, so no queue grows. Modules of a page are found by their names alone: those
// of rigcast/web and of viewer/page are in the same map.

import { Clock, EndlessClock } from "./clock.js";
import { parse, Synthesizer } from "./rigcast.js";
import { Pins } from "./pins.js";
import { Posing } from "./posing.js";
import { packed } from "./wire.js";

const MOST_STEPS = 200; // that can be undone
const MOST_ATTEMPTS = 20; // steps in which a drag that rests is solved further
const ERROR_SHARE = 0.0025; // of the figure's size: the error that is drawn in the last color

/** One figure: a model, its session, surface and posing. */
class Figure {
  constructor(engine, bytes, about) {
    this.model = parse(engine, bytes, about.name);
    this.session = this.model.session();
    this.surface = this.model.surface();
    this.posing = new Posing(this.model, about.posing);
    this.sliders = about.sliders;
    this.rest = Float32Array.from(about.sliders, (slider) => slider.rest);
  }

  within(row) {
    return Float32Array.from(row, (value, i) => Math.min(Math.max(value, this.sliders[i].low), this.sliders[i].high));
  }

  pose({ row, pose }) {
    return pose ?? this.posing.pose(row);
  }

  vertices(state) {
    return Float32Array.from(this.session.evaluate(this.pose(state)));
  }
}

export class Stage {
  /**
   * on: what the page listens by. engine: of engineOf. show: { scene, figures: [{ bytes, name, posing, sliders }], clip: { rows,
   * poses, fps } or null, mirror: [[left, right, sign]], synthesizer: { bytes, columns, seed, labels } or null, notice }.
   */
  constructor(on, engine, show) {
    [this.on, this.show] = [on, show];
    [this.figure, this.beside] = show.figures.map((about) => new Figure(engine, about.bytes, about));
    const { synthesizer, clip } = show;
    if (synthesizer) {
      const made = Synthesizer.parse(engine, synthesizer.bytes);
      this.clock = new EndlessClock(this.figure.rest, made, synthesizer.columns, synthesizer.seed);
      this.clock.play(true, this.now());
    } else this.clock = new Clock(this.figure.rest, clip ?? {});
    this.pins = new Pins(this.figure.model, this.figure.surface, this.figure.posing);
    this.state = this.ofClock() ?? { row: this.figure.rest, pose: null };
    this.vertices = this.figure.vertices(this.state);
    Object.assign(this, { inbox: [], waiting: false, number: 0, mode: "plain", grabbed: null, notice: show.notice ?? "", unsolved: false, moved: false });
    this.history = [synthesizer ? this.clock.layer : this.state];
    this.past = 0;
    queueMicrotask(() => {
      on.state(true);
      on.message(show.scene);
      this.step();
    });
  }

  now() {
    return performance.now() / 1000;
  }

  /** A message of the page. */
  send(type, entries = {}) {
    if (type === "probe") return this.answer(entries);
    if (type === "shown") this.waiting = false;
    else this.inbox.push([type, entries]);
    if (!this.waiting && (this.inbox.length || this.clock.playing || this.unsolved)) {
      this.waiting = true;
      if (type === "shown") requestAnimationFrame(() => this.step());
      else queueMicrotask(() => this.step());
    }
  }

  /** The value of the color where a ray meets the skin, as it is shown. */
  answer({ origin, direction }) {
    const hit = this.figure.surface.pick(origin, direction);
    let value = null;
    if (hit && this.lengths) value = { [this.mode]: hit.corners.reduce((sum, corner, k) => sum + hit.weights[k] * this.lengths[corner], 0) };
    else if (hit && this.mode === "confidence") value = { confidence: this.confidence };
    this.on.message(packed({ type: "probe", value }, []));
  }

  step() {
    this.waiting = true;
    const shown = [this.state, this.vertices];
    try {
      this.follow();
      this.on.message(this.frame());
    } catch (error) {
      this.recover(error, shown);
    }
  }

  /** Shows the last pose that could be shown; if even that fails, waits for the next message. */
  recover(error, shown) {
    this.pins.clear();
    this.clock.playing = this.unsolved = this.moved = false;
    [this.state, this.vertices] = shown;
    this.mode = "plain";
    this.notice = `${error.message}; the last pose that could be shown is back`;
    try {
      this.on.message(this.frame());
    } catch {
      this.waiting = false;
    }
  }

  follow() {
    for (const [type, entries] of this.inbox.splice(0)) {
      try {
        this[`on_${type}`]?.(entries);
      } catch (error) {
        this.notice = error.message;
      }
    }
    if (this.clock.playing && this.clock.advance(this.now())) this.goToClock();
    this.solve();
    if (this.moved) this.vertices = this.figure.vertices(this.state);
    this.moved = false;
  }

  solve() {
    if (!this.unsolved || this.pins.all.size === 0) {
      this.unsolved = false;
      return;
    }
    const { row, pose, finished } = this.pins.solve(this.state.row, this.figure.pose(this.state), this.figure.session, this.vertices);
    this.keepChanges(row);
    this.state = { row, pose };
    this.attempts += 1;
    this.moved = true;
    this.unsolved = !finished && this.attempts < MOST_ATTEMPTS;
  }

  ofClock() {
    const { clock } = this;
    return clock.isEmpty ? null : { row: this.figure.within(clock.row(clock.frame)), pose: clock.pose(clock.frame) };
  }

  goToClock() {
    const state = this.ofClock();
    if (!state) return;
    this.pins.clear();
    Object.assign(this, { state, moved: true });
  }

  /** Shows another state from the next frame on. */
  stand(row) {
    this.keepChanges(row);
    Object.assign(this, { state: { row, pose: null }, moved: true });
    this.pins.rebase();
  }

  /** What is set by hand while a synthesizer plays is a layer on top of what it plays. */
  keepChanges(row) {
    const { clock } = this;
    if (!(clock instanceof EndlessClock)) return;
    const base = clock.base(clock.frame);
    const played = this.figure.within(clock.row(clock.frame));
    clock.layer = clock.layer.map((value, i) => (row[i] === played[i] ? value : row[i] - base[i]));
  }

  commit() {
    const kept = this.clock instanceof EndlessClock ? this.clock.layer : this.state;
    this.history = [...this.history.slice(0, this.past + 1), kept].slice(-MOST_STEPS);
    this.past = this.history.length - 1;
  }

  goTo(past) {
    this.pins.clear();
    this.past = Math.min(Math.max(past, 0), this.history.length - 1);
    const kept = this.history[this.past];
    if (this.clock instanceof EndlessClock) {
      this.clock.layer = kept;
      this.goToClock();
    } else Object.assign(this, { state: kept, moved: true });
  }

  on_set({ channel, value, done }) {
    const row = Float32Array.from(this.state.row);
    row[channel] = value;
    this.stand(this.figure.within(row));
    if (done) this.commit();
  }

  on_reset({ channels }) {
    const row = Float32Array.from(this.state.row);
    const resting = this.clock instanceof EndlessClock ? this.figure.within(this.clock.base(this.clock.frame)) : this.figure.rest;
    for (const channel of channels) row[channel] = resting[channel];
    this.stand(row);
    if (this.clock instanceof EndlessClock) for (const channel of channels) this.clock.layer[channel] = 0;
    this.commit();
  }

  on_mirror({ from }) {
    const { rest } = this.figure;
    const row = Float32Array.from(this.state.row);
    for (const [left, right, sign] of this.show.mirror) {
      const [there, here] = from === "left" ? [left, right] : [right, left];
      if (this.state.row[left] === rest[left] && this.state.row[right] === rest[right]) continue;
      row[here] = rest[here] + sign * (this.state.row[there] - rest[there]);
    }
    this.stand(this.figure.within(row));
    this.commit();
  }

  on_grab({ pin, ...ray }) {
    const hit = this.pins.grab(pin, this.vertices, ray);
    this.grabbed = { pin, hit };
    if (hit) this.clock.playing = false;
  }

  on_drag({ pin, ...ray }) {
    if (this.pins.move(pin, ray)) Object.assign(this, { unsolved: true, attempts: 0 });
  }

  on_release({ pin, hold }) {
    this.pins.release(pin, hold);
    this.commit();
  }

  on_unpin({ pin }) {
    this.pins.release(pin, false);
  }

  on_undo() {
    this.goTo(this.past - 1);
  }

  on_redo() {
    this.goTo(this.past + 1);
  }

  on_play({ playing }) {
    this.clock.play(playing, this.now());
  }

  on_seek({ at }) {
    this.clock.seek(at);
    this.goToClock();
  }

  on_speed({ speed }) {
    this.clock.speed = speed;
  }

  on_frames({ frames }) {
    this.clock.resize(frames);
  }

  on_key() {
    this.clock.setKey(this.state.row);
  }

  on_unkey() {
    this.clock.removeKey();
    this.goToClock();
  }

  on_color({ mode }) {
    this.mode = mode;
  }

  on_tell({ label }) {
    this.clock.request(label);
  }

  on_restart({ seed }) {
    this.clock.restart(seed, this.clock.requested);
    this.goToClock();
  }

  /** A frame after the beginning at a label, as a report names it: where playing stops, and from where it goes on. */
  on_moment({ label, seed, frame }) {
    this.clock.playing = false;
    this.clock.restart(seed, label);
    this.clock.make(frame);
    this.clock.layer = this.clock.layer.map(() => 0);
    this.commit();
    this.goToClock();
  }

  /** Vertices of what stands beside: of the same pose, or by channels of the same names. */
  besideVertices() {
    const { figure, beside, state } = this;
    if (this.show.samePoses) return beside.vertices({ row: state.row, pose: figure.pose(state) });
    const named = new Map(figure.sliders.map((slider, i) => [slider.name, state.row[i]]));
    return beside.vertices({ row: Float32Array.from(beside.sliders, (slider) => named.get(slider.name) ?? slider.rest), pose: null });
  }

  /** Color values of the first figure's vertices, and figures of its errors. */
  marks(other, confidence) {
    const { model } = this.figure;
    [this.lengths, this.confidence] = [null, confidence]; // what a cursor asks for
    if (this.mode === "confidence") return { marks: new Uint8Array(model.vertexCount).fill(Math.round(255 * (1 - confidence))), error: null };
    let distances = null;
    if (this.mode === "bound") distances = model.errorBound(this.figure.pose(this.state));
    if (this.mode === "error" && other) {
      distances = Float64Array.from({ length: model.vertexCount }, (_, v) => Math.hypot(...[0, 1, 2].map((k) => this.vertices[3 * v + k] - other[3 * v + k])));
    }
    if (!distances) return { marks: null, error: null };
    const most = ERROR_SHARE * this.pins.size;
    const millimeters = 1000 * model.metersPerUnit;
    this.lengths = distances.map((d) => d * millimeters);
    const error = {
      mean: (distances.reduce((sum, d) => sum + d, 0) / distances.length) * millimeters,
      max: distances.reduce((a, b) => Math.max(a, b), 0) * millimeters,
      full: most * millimeters,
    };
    return { marks: Uint8Array.from(distances, (d) => Math.min(255, (255 * d) / most)), error };
  }

  frame() {
    const { clock, figure, state } = this;
    const other = this.beside ? this.besideVertices() : null;
    const confidence = figure.model.confidence(figure.pose(state))[0];
    const { marks, error } = this.marks(other, confidence);
    const meshes = [figure.surface.pack(this.vertices, marks), ...(other ? [this.beside.surface.pack(other)] : [])];
    const acting = clock instanceof EndlessClock ? { label: clock.label, requested: clock.requested, seed: clock.seed } : null;
    this.number += 1;
    const header = {
      type: "frame",
      frame: this.number,
      boxes: meshes.map(({ low, high }) => [low, high]),
      row: [...state.row],
      pins: this.pins.facts(this.vertices),
      handles: [],
      timeline: clock.facts(),
      undo: this.past > 0,
      redo: this.past + 1 < this.history.length,
      color: this.mode,
      acting,
      error,
      confidence,
      grab: this.grabbed,
      notice: this.notice,
    };
    Object.assign(this, { grabbed: null, notice: "" });
    return packed(header, meshes.map(({ bytes }) => bytes));
  }
}
