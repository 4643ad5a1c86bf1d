// An eye on a sphere around a target.

import { add, cross, lookAt, multiply, normalize, perspective, scale, sub } from "../math.js";

const FIELD = (32 * Math.PI) / 180;
const STEEPEST = 1.5;
const SIDES = { oblique: [0.45, 0.12], front: [0, 0], side: [Math.PI / 2, 0], above: [0, STEEPEST] }; // turn and tilt

export class Camera {
  constructor() {
    this.target = [0, 0, 0];
    this.distance = 3;
    this.lookFrom("oblique");
    this.aspect = 1;
    this.size = 1;
    this.isMoved = false; // by hand, away from where all is in view
  }

  /** Stands so that a box is seen whole. */
  fit(low, high) {
    this.isMoved = false;
    this.target = scale(add(low, high), 0.5);
    const [x, y, z] = sub(high, low);
    this.size = Math.hypot(x, y, z) || 1;
    const wide = Math.hypot(x, z);
    const tangent = Math.tan(FIELD / 2);
    this.distance = Math.max(y / 2 / tangent, wide / 2 / tangent / this.aspect) * 1.12 + wide / 2;
  }

  get eye() {
    const flat = Math.cos(this.tilt) * this.distance;
    const way = [Math.sin(this.turn) * flat, Math.sin(this.tilt) * this.distance, Math.cos(this.turn) * flat];
    return add(this.target, way);
  }

  get forward() {
    return normalize(sub(this.target, this.eye));
  }

  lookFrom(side) {
    [this.turn, this.tilt] = SIDES[side]; // about the vertical, and up
  }

  orbit(dx, dy) {
    this.turn -= dx * 0.008;
    this.tilt = Math.min(STEEPEST, Math.max(-STEEPEST, this.tilt + dy * 0.008));
  }

  /** Moves with the cursor, which is height pixels tall a view. */
  pan(dx, dy, height) {
    this.isMoved = true;
    const step = (2 * Math.tan(FIELD / 2) * this.distance) / height;
    const right = normalize(cross(this.forward, [0, 1, 0]));
    const up = cross(right, this.forward);
    this.target = add(this.target, add(scale(right, -dx * step), scale(up, dy * step)));
  }

  zoom(amount) {
    this.isMoved = true;
    this.distance = Math.min(20 * this.size, Math.max(0.02 * this.size, this.distance * Math.exp(amount)));
  }

  get view() {
    return lookAt(this.eye, this.target, [0, 1, 0]);
  }

  get matrix() {
    const near = Math.max(this.distance - 4 * this.size, this.distance * 0.02);
    return multiply(perspective(FIELD, this.aspect, near, this.distance + 8 * this.size), this.view);
  }

  /** The direction through a point of the picture, -1 to 1 each way. */
  direction(x, y) {
    const right = normalize(cross(this.forward, [0, 1, 0]));
    const up = cross(right, this.forward);
    const tangent = Math.tan(FIELD / 2);
    return normalize(add(this.forward, add(scale(right, x * tangent * this.aspect), scale(up, y * tangent))));
  }
}
