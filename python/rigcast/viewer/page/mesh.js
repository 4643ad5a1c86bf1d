// One figure on the graphics card: three index buffers that stay, and vertices that every frame replaces.

import { BYTES_PER_VERTEX } from "./wire.js";
import { boxInView, placement } from "./math.js";

export class Mesh {
  constructor(gl, about, buffers, offset, locations) {
    this.gl = gl;
    this.about = about;
    this.offset = offset;
    this.place = placement(about.up, offset);
    this.within(about.box);
    this.ready = false;
    this.vertices = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, BYTES_PER_VERTEX * about.vertices, gl.STREAM_DRAW);
    this.arrays = {};
    for (const [name, indices] of Object.entries(buffers)) this.arrays[name] = this.array(indices, locations);
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
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: indices.length };
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

  draw(name, mode) {
    const { array, count } = this.arrays[name];
    this.gl.bindVertexArray(array);
    this.gl.drawElements(mode, count, this.gl.UNSIGNED_INT, 0);
  }
}
