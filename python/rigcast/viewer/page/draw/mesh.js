// One figure on the graphics card: three index buffers that stay, and vertices that every frame replaces.

import { boxInView, placement } from "../math.js";
import { BYTES_PER_VERTEX } from "../wire.js";
import { Look } from "./look.js";

export class Mesh {
  /** buffers: of sceneBuffers. onReady(): a texture has arrived. */
  constructor(gl, about, buffers, offset, locations, onReady) {
    this.gl = gl;
    this.about = about;
    this.offset = offset;
    this.place = placement(about.up, offset);
    this.within(about.box);
    this.ready = false;
    this.vertices = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, BYTES_PER_VERTEX * about.vertices, gl.STREAM_DRAW);
    this.tints = buffers.tints && this.kept(buffers.tints);
    this.uvs = buffers.uvs && this.kept(buffers.uvs);
    this.arrays = {};
    for (const name of ["triangles", "reduced", "edges"]) this.arrays[name] = this.array(buffers[name], locations);
    this.look = buffers.tints ? new Look(gl, this, about.look, buffers.images, onReady) : null; // of materials, if they are known
  }

  /** A buffer of what never changes. */
  kept(data) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return buffer;
  }

  array(indices, locations) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    const attributes = [
      [locations.position, 3, gl.UNSIGNED_SHORT, 0],
      [locations.mark, 1, gl.UNSIGNED_BYTE, 6],
      [locations.normal, 2, gl.SHORT, 8],
    ];
    for (const [location, size, type, start] of attributes) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, true, BYTES_PER_VERTEX, start);
    }
    for (const [buffer, location, size, type] of [[this.tints, locations.tint, 4, gl.UNSIGNED_BYTE], [this.uvs, locations.uv, 2, gl.FLOAT]]) {
      if (!buffer) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, type, true, 0, 0);
    }
    const elements = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, elements, count: indices.length };
  }

  /** Gives back what the card holds: another scene comes. */
  free() {
    for (const { array, elements } of Object.values(this.arrays)) {
      this.gl.deleteVertexArray(array);
      this.gl.deleteBuffer(elements);
    }
    for (const buffer of [this.vertices, this.tints, this.uvs]) this.gl.deleteBuffer(buffer);
    this.look?.free();
  }

  upload(bytes, box) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, bytes);
    this.within(box);
    this.ready = true;
  }

  /** The box around the vertices, in the figure's axes. */
  within([low, high]) {
    this.low = low;
    this.extent = high.map((x, i) => x - low[i]);
  }

  /** The box around the figure as it is shown, in the view's axes. */
  get box() {
    return boxInView(this.about.up, [this.low, this.low.map((x, i) => x + this.extent[i])], this.offset);
  }

  /** All of a part, or so many indices of it from one on. */
  draw(name, mode, from = 0, count = this.arrays[name].count) {
    this.gl.bindVertexArray(this.arrays[name].array);
    this.gl.drawElements(mode, count, this.gl.UNSIGNED_INT, 4 * from);
  }
}
