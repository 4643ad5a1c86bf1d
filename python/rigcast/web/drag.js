// Drags: a pose from places for vertices.

import { layout, Owned } from "./engine.js";

const lists = (...names) => names.map((name) => [name, "list"]);
const TASK = layout([
  ["size", "u32"],
  ...lists("targets", "weights", "start", "preferred"),
  ["preference", "f64"],
  ["tolerance", "f64"],
  ["max_iterations", "i64"],
  ["frames", "i64"],
  ["progress", "u32"],
  ["user", "u32"],
]);
const RESULT = layout([
  ["size", "u32"],
  ...lists("pose", "channels", "errors"),
  ["iterations", "i32"],
  ["converged", "i32"],
  ...lists("frame_iterations", "frame_converged"),
]);

/** What pulls some vertices of a model. */
export class Drag extends Owned {
  constructor(model, vertices) {
    const chosen = Int32Array.from(vertices);
    const { engine } = model;
    super(engine, engine.made("drag_new", (arena) => [model.handle, arena.put(chosen), BigInt(chosen.length)]), "drag_free");
    this.model = model;
    this.count = chosen.length;
  }

  /**
   * The pose in which the vertices are as near to points (M, 3) as the model allows, from start on; what the points leave
   * open stays as in preferred. Returns { pose, channels, errors, converged, iterations }.
   */
  to(points, { start = this.model.restPose, preferred = start, weights = null, maxIterations = 0, tolerance = 0, preference = 0 } = {}) {
    const { engine, model } = this;
    const channelCount = model.channelsDecide ? model.channels.length : 0;
    return engine.with((arena) => {
      const list = (array) => ({ at: arena.put(array), count: array.length });
      const room = (bytes, count) => ({ at: arena.room(bytes * count), count });
      const task = arena.structure(TASK, {
        targets: list(Float64Array.from(points)),
        ...(weights ? { weights: list(Float64Array.from(weights)) } : {}),
        start: list(Float32Array.from(start)),
        preferred: list(Float32Array.from(preferred)),
        max_iterations: maxIterations,
        tolerance,
        preference,
      });
      const pose = room(4, model.columnCount);
      const channels = room(8, channelCount);
      const errors = room(8, this.count);
      const result = arena.structure(RESULT, { pose, ...(channelCount ? { channels } : {}), errors });
      engine.call("drag_solve", this.handle, task, result);
      const { iterations, converged } = engine.read(RESULT, result);
      return {
        pose: engine.copy(Float32Array, pose.at, pose.count),
        channels: channelCount ? engine.copy(Float64Array, channels.at, channelCount) : null,
        errors: engine.copy(Float64Array, errors.at, errors.count),
        iterations,
        converged: converged === 1,
      };
    });
  }
}
