// Vectors as arrays of three numbers, matrices as arrays of sixteen in column order.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const normalize = (a) => scale(a, 1 / (Math.hypot(...a) || 1));

export function multiply(a, b) {
  const result = new Float32Array(16);
  for (let column = 0; column < 4; ++column)
    for (let row = 0; row < 4; ++row)
      for (let k = 0; k < 4; ++k) result[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return result;
}

/** A point through a matrix, with the division by w; the fourth entry is w. */
export function transform(matrix, p) {
  const r = [0, 1, 2, 3].map((i) => matrix[i] * p[0] + matrix[4 + i] * p[1] + matrix[8 + i] * p[2] + matrix[12 + i]);
  return [r[0] / r[3], r[1] / r[3], r[2] / r[3], r[3]];
}

export function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const m = new Float32Array(16);
  m[0] = f / aspect;
  m[5] = f;
  m[10] = (far + near) / (near - far);
  m[11] = -1;
  m[14] = (2 * far * near) / (near - far);
  return m;
}

export function lookAt(eye, target, up) {
  const z = normalize(sub(eye, target));
  const x = normalize(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

/** From a figure's axes to those of the view, y up, and back. */
export const toView = (up, p) => (up === "Z" ? [p[0], p[2], -p[1]] : p);
export const fromView = (up, p) => (up === "Z" ? [p[0], -p[2], p[1]] : p);

/** Lowest and highest corner, in the view's axes, of a box in a figure's axes that stands at an offset. */
export function boxInView(up, ends, offset) {
  const corners = ends.map((p) => add(toView(up, p), offset));
  return [Math.min, Math.max].map((side) => [0, 1, 2].map((i) => side(corners[0][i], corners[1][i])));
}

/** The matrix of toView with an offset. */
export function placement(up, offset) {
  const axes = up === "Z" ? [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0] : [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  return new Float32Array([...axes, ...offset, 1]);
}
