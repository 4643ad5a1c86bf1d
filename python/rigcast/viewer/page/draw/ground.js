// A grid on the ground that fades out, lines in powers of ten of the figure's size.

const LINES = 20; // each way

/** Positions (3) and strength (1) of line ends around the origin, for a cell of one unit. */
export function gridLines(cell, height) {
  const data = [];
  const reach = LINES * cell;
  const fade = (x, z) => Math.max(0, 1 - Math.hypot(x, z) / reach) ** 1.5;
  const segment = (x0, z0, x1, z1, strength) => {
    data.push(x0, height, z0, strength * fade(x0, z0), x1, height, z1, strength * fade(x1, z1));
  };
  for (let i = -LINES; i <= LINES; ++i) {
    const strength = i % 10 === 0 ? 0.34 : i % 5 === 0 ? 0.2 : 0.11;
    for (let k = -LINES; k < LINES; k += 2) {
      segment(i * cell, k * cell, i * cell, (k + 2) * cell, strength);
      segment(k * cell, i * cell, (k + 2) * cell, i * cell, strength);
    }
  }
  return new Float32Array(data);
}

/** The power of ten, times 1, 2 or 5, nearest below a length. */
export function niceLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * (length >= 5 * power ? 5 : length >= 2 * power ? 2 : 1);
}
