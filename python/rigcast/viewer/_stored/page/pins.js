// Points of the skin that are pulled, and the pose that follows; as _drags.py does on the server.

import { add, dot, scale, sub } from "./math.js";

const MOST_PINS = 32;
const ITERATIONS = 8; // of a solve
const FAR = 0.02; // of the figure's size: from this gap on, a pin is relaxed in full
const SETTLED = 1e-3; // of the figure's size
const RELAXATION = 4; // then ranges of channels count as if they were worth as many times as much

const at = (vertices, vertex) => [...vertices.slice(3 * vertex, 3 * vertex + 3)];
const pointOf = ({ corners, weights }, vertices) => corners.map((corner, k) => scale(at(vertices, corner), weights[k])).reduce((sum, point) => add(sum, point));

export class Pins {
  /** A model, its surface, and the posing of its sliders. */
  constructor(model, surface, posing) {
    [this.model, this.surface, this.posing] = [model, surface, posing];
    const { restVertices } = model;
    const sides = [0, 1, 2].map((k) => {
      const values = restVertices.filter((_, i) => i % 3 === k);
      return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
    });
    this.size = Math.hypot(...sides) || 1;
    this.all = new Map();
    this.drag = null;
    this.rebase();
  }

  /** Stay near the present pose from now on: something else than a drag has changed it. */
  rebase() {
    this.start = null;
    this.closest = null;
  }

  clear() {
    this.all.clear();
    this.changed();
    this.rebase();
  }

  changed() {
    this.drag?.free();
    this.drag = null;
  }

  /** Pins what the ray meets first; a pin of that number is taken again. Returns whether it meets anything. */
  grab(number, vertices, { origin, direction, facing }) {
    const held = this.all.get(number);
    if (held) {
      Object.assign(held, { facing, grabbed: true });
      return true;
    }
    const hit = this.surface.pick(origin, direction);
    if (!hit || this.all.size >= MOST_PINS) return false;
    const { corners, weights } = hit;
    const vertex = corners[weights.indexOf(Math.max(...weights))];
    const target = add(origin, scale(direction, hit.distance));
    this.all.set(number, { corners, weights, vertex, beside: [0, 0, 0], target, facing, grabbed: true });
    this.changed();
    return true;
  }

  /** Moves a grabbed pin to where the ray meets its plane; returns whether it moved. */
  move(number, { origin, direction }) {
    const pin = this.all.get(number);
    if (!pin?.grabbed) return false;
    const slope = dot(direction, pin.facing);
    const along = slope ? dot(sub(pin.target, origin), pin.facing) / slope : -1;
    if (along <= 0) return false;
    pin.target = add(origin, scale(direction, along));
    return true;
  }

  release(number, hold) {
    const pin = this.all.get(number);
    if (pin && hold) pin.grabbed = false;
    else if (this.all.delete(number)) {
      this.changed();
      if (this.all.size === 0) this.rebase();
    }
  }

  /**
   * The state { row, pose } in which the pins are as near to their targets as the model allows, and whether that is so. Drags
   * pull vertices: each pin's target is moved by how far its point is from the vertex nearest to it in the present pose,
   * whose vertices are given, so that the next call brings the point itself nearer.
   */
  solve(row, pose, session, vertices) {
    const pins = [...this.all.values()];
    let settled = true;
    for (const pin of pins) {
      const beside = sub(pointOf(pin, vertices), at(vertices, pin.vertex));
      settled &&= Math.hypot(...sub(beside, pin.beside)) <= SETTLED * this.size;
      pin.beside = beside;
    }
    const offset = this.posing.offset(row);
    const inPlace = this.posing.moved(pose, scale(offset, -1));
    this.start ??= inPlace;
    this.drag ??= this.model.drag(pins.map((pin) => pin.vertex));
    const options = { start: this.closest ?? inPlace, preferred: this.start, maxIterations: ITERATIONS };
    const closest = this.drag.to(pins.flatMap((pin) => sub(sub(pin.target, pin.beside), offset)), options);
    this.closest = closest.pose;
    const shown = this.relaxed(closest, pins, session);
    const found = { row: this.posing.row(shown.pose, shown.channels, offset), pose: this.posing.moved(shown.pose, offset) };
    return { ...found, finished: settled && closest.converged && shown.converged };
  }

  /** Nearly as near to targets out of reach, without what hardly helps: see _drags.py. */
  relaxed(closest, pins, session) {
    const relaxation = [...closest.errors].map((gap) => 1 + (RELAXATION - 1) * Math.min(gap / (FAR * this.size), 1));
    if (relaxation.every((value) => value < 1.01)) return closest;
    const vertices = session.evaluate(closest.pose);
    const points = pins.flatMap(({ vertex }) => at(vertices, vertex));
    const weights = relaxation.map((value) => value ** -2);
    return this.drag.to(points, { start: closest.pose, preferred: this.start, weights, maxIterations: ITERATIONS });
  }

  /** The pins as the page draws them. */
  facts(vertices) {
    return [...this.all].map(([number, pin]) => ({ pin: number, at: pointOf(pin, vertices), target: pin.target, grabbed: pin.grabbed }));
  }
}
