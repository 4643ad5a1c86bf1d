// A mesh as graphics hardware reads it, and what a ray meets of it.

import { Owned } from "./engine.js";

export const BYTES_PER_VERTEX = 12;

export class Surface extends Owned {
  constructor(model) {
    const { engine, vertexCount, faceCount } = model;
    const handle = engine.with((arena) => engine.exports.rigcast_surface_new(arena.put(model.restVertices), vertexCount, arena.put(model.faces), faceCount) >>> 0);
    if (handle === 0) throw engine.error(1);
    super(engine, handle, "surface_free");
    this.vertexCount = vertexCount;
  }

  /**
   * Moves the surface to vertices (V, 3), with marks (V) bytes or null. Returns { bytes (V, 12), low, high }: a vertex is its
   * place (3 x uint16 from the low to the high corner), mark, zero, normal (2 x int16, octahedral).
   */
  pack(vertices, marks = null) {
    const { engine, vertexCount } = this;
    this.checkAlive("surface");
    if (vertices.length !== 3 * vertexCount) throw new RangeError(`vertices has ${vertices.length} numbers; it must have ${3 * vertexCount}`);
    if (marks && marks.length !== vertexCount) throw new RangeError(`marks has ${marks.length} bytes; it must have ${vertexCount}`);
    return engine.with((arena) => {
      const packed = arena.room(BYTES_PER_VERTEX * vertexCount);
      const box = arena.room(24);
      engine.call("surface_pack", this.handle, arena.put(Float32Array.from(vertices)), marks ? arena.put(Uint8Array.from(marks)) : 0, packed, box);
      const [low, high] = [0, 12].map((offset) => [...engine.copy(Float32Array, box + offset, 3)]);
      return { bytes: engine.copy(Uint8Array, packed, BYTES_PER_VERTEX * vertexCount), low, high };
    });
  }

  /** What the ray meets first: { corners, weights, distance }, or null. */
  pick(origin, direction) {
    const { engine } = this;
    this.checkAlive("surface");
    if (origin.length !== 3 || direction.length !== 3) throw new RangeError("origin and direction must have 3 numbers each");
    return engine.with((arena) => {
      const hit = arena.room(56);
      const met = engine.exports.rigcast_surface_pick(this.handle, arena.put(Float64Array.from([...origin, ...direction])), hit);
      if (!met) return null;
      const found = engine.copy(Float64Array, hit, 7);
      return { corners: [...found.subarray(0, 3)], weights: [...found.subarray(3, 6)], distance: found[6] };
    });
  }
}
