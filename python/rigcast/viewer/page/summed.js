// Frames that were stored as sums of components of a coarse mesh; _summed.py writes them.

import { BYTES_PER_VERTEX, unpacked } from "./wire.js";

/** Whole numbers whose differences were stored as four planes of bytes. */
function integers(bytes, count) {
  const numbers = new Int32Array(count);
  for (let i = 0, last = 0; i < count; ++i) {
    const code = bytes[i] | (bytes[i + count] << 8) | (bytes[i + 2 * count] << 16) | (bytes[i + 3 * count] << 24);
    last = (last + ((code >>> 1) ^ -(code & 1))) | 0;
    numbers[i] = last;
  }
  return numbers;
}

/** A message as the server sends it: a header in JSON, then arrays. */
function message(header, arrays) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const begin = 4 + 4 * Math.ceil(text.length / 4);
  const result = new Uint8Array(begin + arrays.reduce((sum, array) => sum + array.byteLength, 0)).fill(32, 0, begin);
  new DataView(result.buffer).setUint32(0, begin - 4, true);
  result.set(text, 4);
  let offset = begin;
  for (const array of arrays) {
    result.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  return result.buffer;
}

function edgesOf(triangles, vertices) {
  const known = new Set();
  for (let i = 0; i < triangles.length; i += 3)
    for (const [a, b] of [[0, 1], [1, 2], [2, 0]].map((side) => side.map((k) => triangles[i + k]).sort((x, y) => x - y)))
      known.add(a * vertices + b);
  return Uint32Array.from([...known].flatMap((key) => [Math.floor(key / vertices), key % vertices]));
}

class Figure {
  constructor({ vertices, triangles }, { step, components }, count, take) {
    Object.assign(this, { vertices, step, components, count });
    this.triangles = Uint32Array.from(take(3 * triangles));
    this.center = take(3 * vertices);
    this.parts = take(components * 3 * vertices);
    this.shares = take(components * count);
    this.edges = edgesOf(this.triangles, vertices);
  }

  /** Positions in a frame: x of all vertices, then y, then z. */
  positions(frame, whole) {
    const place = Float32Array.from(this.center);
    for (let r = 0; r < this.components; ++r) {
      const share = this.shares[r * this.count + frame] / whole;
      const part = this.parts.subarray(r * place.length, (r + 1) * place.length);
      for (let i = 0; i < place.length; ++i) place[i] += share * part[i];
    }
    return place.map((x) => x * this.step);
  }

  normals(place) {
    const n = this.vertices;
    const sums = new Float32Array(3 * n);
    for (let i = 0; i < this.triangles.length; i += 3) {
      const [a, b, c] = this.triangles.subarray(i, i + 3);
      const [u, v] = [b, c].map((end) => [0, 1, 2].map((axis) => place[axis * n + end] - place[axis * n + a]));
      for (let axis = 0; axis < 3; ++axis) {
        const [s, t] = [(axis + 1) % 3, (axis + 2) % 3];
        const cross = u[s] * v[t] - u[t] * v[s];
        for (const corner of [a, b, c]) sums[axis * n + corner] += cross;
      }
    }
    return sums;
  }

  /** Bytes of a frame as graphics hardware reads them, and the box around it. */
  packed(frame, whole) {
    const n = this.vertices;
    const place = this.positions(frame, whole);
    const normals = this.normals(place);
    const bytes = new DataView(new ArrayBuffer(BYTES_PER_VERTEX * n));
    const ends = [0, 1, 2].map((axis) => {
      const own = place.subarray(axis * n, (axis + 1) * n);
      return [own.reduce((x, y) => Math.min(x, y), Infinity), own.reduce((x, y) => Math.max(x, y), -Infinity)];
    });
    for (let i = 0; i < n; ++i) {
      ends.forEach(([low, high], axis) => {
        const share = high > low ? (place[axis * n + i] - low) / (high - low) : 0;
        bytes.setUint16(BYTES_PER_VERTEX * i + 2 * axis, Math.round(65535 * share), true);
      });
      const folded = octahedral(normals[i], normals[n + i], normals[2 * n + i]);
      folded.forEach((x, k) => bytes.setInt16(BYTES_PER_VERTEX * i + 8 + 2 * k, Math.round(32767 * x), true));
    }
    return { bytes, box: [0, 1].map((side) => ends.map((pair) => pair[side])) };
  }
}

/** A direction on a square: projected on the octahedron |x| + |y| + |z| = 1, its lower half folded outwards. */
function octahedral(x, y, z) {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (!(sum > 0)) return [0, 0];
  const [a, b] = [x / sum, y / sum];
  if (z >= 0) return [a, b];
  return [(1 - Math.abs(b)) * (a < 0 ? -1 : 1), (1 - Math.abs(a)) * (b < 0 ? -1 : 1)];
}

export class SummedFrames {
  constructor(buffer) {
    const { header, offset } = unpacked(buffer);
    const bytes = new Uint8Array(buffer);
    let at = offset;
    const take = (count) => {
      const numbers = integers(bytes.subarray(at, at + 4 * count), count);
      at += 4 * count;
      return numbers;
    };
    this.header = header;
    this.count = header.frames.length;
    this.rows = take(header.sliders.low.length * this.count);
    this.figures = header.figures.map((about, i) => new Figure(header.scene.figures[i], about, this.count, take));
  }

  scene() {
    const { scene } = this.header;
    scene.figures.forEach((about, i) => (about.edges = this.figures[i].edges.length / 2));
    return message(scene, this.figures.flatMap(({ triangles, edges }) => [triangles, triangles, edges]));
  }

  frame(index) {
    const { frames, sliders, shares } = this.header;
    const row = sliders.low.map((low, n) => Number((low + sliders.step[n] * this.rows[n * this.count + index]).toFixed(4)));
    const shown = this.figures.map((figure) => figure.packed(index, shares));
    return message({ ...frames[index], row, boxes: shown.map(({ box }) => box) }, shown.map(({ bytes }) => bytes));
  }
}
