// Channels to poses and back, as the viewer has them: by the channels that a model states, else by three angles per joint;
// and the translation of the whole character, where no channel has it.

const RADIANS = Math.PI / 180;

/** R_x R_y R_z of angles in degrees, row-major, in column vectors. */
export function rotation([x, y, z]) {
  const [a, b, c] = [Math.cos(x * RADIANS), Math.cos(y * RADIANS), Math.cos(z * RADIANS)];
  const [d, e, f] = [Math.sin(x * RADIANS), Math.sin(y * RADIANS), Math.sin(z * RADIANS)];
  return [b * c, -b * f, e, a * f + d * e * c, a * c - d * e * f, -d * b, d * f - a * e * c, d * c + a * e * f, a * b];
}

/** Angles in degrees of a rotation matrix. */
export function angles(m) {
  const y = Math.asin(Math.max(-1, Math.min(1, m[2])));
  const turned = Math.abs(m[2]) < 1 - 1e-12;
  const x = turned ? Math.atan2(-m[5], m[8]) : Math.atan2(m[7], m[4]);
  const z = turned ? Math.atan2(-m[1], m[0]) : 0;
  return [x, y, z].map((angle) => angle / RADIANS);
}

const entry = (m, row, column) => m[3 * row + column];

function product(a, b) {
  return Array.from({ length: 9 }, (_, i) => [0, 1, 2].reduce((sum, k) => sum + entry(a, Math.floor(i / 3), k) * entry(b, k, i % 3), 0));
}

function inverse(m) {
  const cofactor = (i, j) => {
    const [r, s] = [(i + 1) % 3, (i + 2) % 3];
    const [c, d] = [(j + 1) % 3, (j + 2) % 3];
    return entry(m, r, c) * entry(m, s, d) - entry(m, r, d) * entry(m, s, c);
  };
  const determinant = [0, 1, 2].reduce((sum, j) => sum + entry(m, 0, j) * cofactor(0, j), 0);
  return Array.from({ length: 9 }, (_, i) => cofactor(i % 3, Math.floor(i / 3)) / determinant);
}

/** Columns of length 1: a rotation, if the matrix is one but for scales. */
function normalized(m) {
  const lengths = [0, 1, 2].map((j) => Math.hypot(m[j], m[3 + j], m[6 + j]) || 1);
  return m.map((value, i) => value / lengths[i % 3]);
}

const linear = (local) => [0, 1, 2, 4, 5, 6, 8, 9, 10].map((i) => local[i]);

class ByChannels {
  constructor(model) {
    this.model = model;
    this.count = model.channels.length;
  }

  pose(row) {
    return this.model.poses(row);
  }

  row(pose, channels) {
    return channels ?? this.model.channelsOf(pose);
  }
}

class ByJoints {
  constructor(model) {
    this.rest = Array.from({ length: model.jointNames.length }, (_, j) => model.jointRest.subarray(12 * j, 12 * j + 12));
    this.count = 3 * this.rest.length + model.columnCount - 12 * this.rest.length;
  }

  pose(row) {
    const joints = this.rest.flatMap((local, j) => {
      const turned = product(linear(local), rotation(row.slice(3 * j, 3 * j + 3)));
      return [0, 1, 2].flatMap((i) => [...turned.slice(3 * i, 3 * i + 3), local[4 * i + 3]]);
    });
    return Float32Array.from([...joints, ...row.slice(3 * this.rest.length)]);
  }

  row(pose) {
    const turned = this.rest.flatMap((local, j) => angles(normalized(product(inverse(linear(local)), linear(pose.slice(12 * j, 12 * j + 12))))));
    return Float64Array.from([...turned, ...pose.slice(12 * this.rest.length)]);
  }
}

/** The sliders of a figure and its poses. given: { kind: "channels" or "joints", roots: joints that three more sliders move }. */
export class Posing {
  constructor(model, { kind, roots }) {
    this.inner = kind === "channels" ? new ByChannels(model) : new ByJoints(model);
    this.roots = roots;
  }

  /** The pose (C) of sliders (N). */
  pose(row) {
    return this.moved(this.inner.pose(Float64Array.from(row).slice(0, this.inner.count)), this.offset(row));
  }

  /** Where the sliders put the whole character. */
  offset(row) {
    return this.roots.length ? [...row.slice(this.inner.count)] : [0, 0, 0];
  }

  /** The pose of the character elsewhere. */
  moved(pose, offset) {
    const result = Float32Array.from(pose);
    for (const joint of this.roots) offset.forEach((shift, i) => (result[12 * joint + 4 * i + 3] += shift));
    return result;
  }

  /** Sliders of a pose in place, and of where it stands; channels are those of a drag, if it found any. */
  row(pose, channels, offset) {
    return Float32Array.from([...this.inner.row(pose, channels), ...(this.roots.length ? offset : [])]);
  }
}
