// Bones of the first figure: an octahedron from each joint to the ones below it, drawn in front of the skin.

import { add, cross, normalize, scale, sub, toView } from "../math.js";

const WIDTH = 0.09; // of a bone's length
const BELT = 0.14; // where along the bone it is widest
const SHADES = [1, 0.82, 0.66, 0.86]; // of its four sides

/** Corners (3 numbers) and shade of the triangles of one bone. */
function octahedron(from, to, most, data) {
  const along = sub(to, from);
  const length = Math.hypot(...along);
  if (!(length > 0)) return;
  const helper = Math.abs(along[1]) < 0.9 * length ? [0, 1, 0] : [1, 0, 0];
  const side = normalize(cross(along, helper));
  const other = normalize(cross(along, side));
  const width = Math.min(WIDTH * length, most);
  const middle = add(from, scale(along, Math.min(BELT, width / length)));
  const belt = [side, other, scale(side, -1), scale(other, -1)].map((way) => add(middle, scale(way, width)));
  for (let k = 0; k < 4; ++k) {
    const [a, b] = [belt[k], belt[(k + 1) % 4]];
    for (const corner of [from, a, b, to, b, a]) data.push(...corner, SHADES[k]);
  }
}

export class Bones {
  constructor(gl, locations) {
    this.gl = gl;
    this.count = 0;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(locations.position);
    gl.vertexAttribPointer(locations.position, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(locations.strength);
    gl.vertexAttribPointer(locations.strength, 1, gl.FLOAT, false, 16, 12);
    gl.bindVertexArray(null);
  }

  /** places: of the joints, in the figure's axes, or null to draw none; parents: of each joint, -1 for none. */
  set(places, parents, mesh) {
    this.count = 0;
    if (!places) return;
    const at = places.map((place) => add(toView(mesh.about.up, place), mesh.offset));
    const data = [];
    const most = 0.03 * Math.hypot(...mesh.extent);
    const hasChild = new Set(parents);
    parents.forEach((parent, joint) => {
      if (parent >= 0) octahedron(at[parent], at[joint], most, data);
      const end = parent >= 0 ? add(at[joint], scale(sub(at[joint], at[parent]), 0.35)) : add(at[joint], [0, 0.2 * most, 0]);
      if (!hasChild.has(joint)) octahedron(at[joint], end, most, data);
    });
    this.count = data.length / 4;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Float32Array(data), this.gl.STREAM_DRAW);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
  }
}
