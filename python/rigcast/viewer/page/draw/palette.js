// 256 colors that bytes of vertices stand for.

const STOPS = {
  // Cool to hot through the skin's own gray: small errors should not shout.
  error: [[0, 74, 92, 140], [0.25, 92, 156, 166], [0.5, 226, 208, 126], [0.75, 232, 131, 60], [1, 190, 38, 46]],
  // A bound is what errors may be: the same scale.
  get bound() { return this.error; },
  // The skin's color while the model knows the pose, a warning where it does not.
  confidence: [[0, 186, 178, 168], [0.3, 224, 190, 110], [0.65, 228, 120, 52], [1, 196, 42, 48]],
};

/** 256 x RGBA, sRGB. */
export function paletteBytes(mode) {
  const bytes = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const color = at(STOPS[mode] ?? STOPS.error, i / 255);
    for (let c = 0; c < 3; ++c) bytes[4 * i + c] = Math.round(color[c]);
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

/** The same as a CSS gradient, for the legend. */
export function paletteGradient(mode) {
  const stops = (STOPS[mode] ?? STOPS.error).map(([x, r, g, b]) => `rgb(${r} ${g} ${b}) ${100 * x}%`);
  return `linear-gradient(90deg, ${stops.join(", ")})`;
}

function at(stops, x) {
  const after = Math.max(1, stops.findIndex((stop) => stop[0] >= x));
  const [a, b] = [stops[after - 1], stops[after]];
  const share = (x - a[0]) / (b[0] - a[0]);
  return [1, 2, 3].map((i) => a[i] + share * (b[i] - a[i]));
}
