// Skin with a key, a fill and a rim light; lines; the shadow on the ground.

const POSITION = `#version 300 es
in vec3 position;
uniform vec3 low, extent;
uniform mat4 place, camera;
vec3 world() { return (place * vec4(low + position * extent, 1.0)).xyz; }`;

// The light on a point of the skin: its base color in linear light, its normal and the way to the eye, all in the camera's axes.
const LIGHT = `
vec3 lit(vec3 base, vec3 N, vec3 V, bool front) {
  vec3 key = normalize(vec3(-0.45, 0.75, 0.6));
  vec3 fill = normalize(vec3(0.8, 0.1, 0.5));
  float wrapped = max(0.0, (dot(N, key) + 0.25) / 1.25);
  float sky = 0.5 + 0.5 * N.y;
  vec3 light = vec3(1.08, 1.01, 0.92) * wrapped * 0.92 + vec3(0.5, 0.64, 0.85) * max(0.0, dot(N, fill)) * 0.16
    + mix(vec3(0.085, 0.072, 0.064), vec3(0.19, 0.215, 0.25), sky);
  float gloss = max(0.0, dot(N, normalize(key + V))); // to the 32nd, and the cube below: pow is slow without hardware
  gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss * 0.12;
  float edge = 1.0 - max(0.0, dot(N, V));
  float rim = edge * edge * edge * smoothstep(-0.4, 0.8, N.y) * 0.25;
  vec3 linear = base * light + gloss + rim * vec3(0.75, 0.85, 1.0);
  if (!front) linear *= 0.45;
  return sqrt(linear / (1.0 + 0.1 * linear)) * 1.03;
}`;

/**
 * Vertex and fragment shader of the skin. source: "clay", "marks" (bytes of vertices through the palette), "tints" (a color per
 * vertex) or "image" (a texture times that). flat: one normal per face. quick: lit per vertex, for machines that draw in software.
 */
export function skin({ source, flat, quick }) {
  const uses = { MARKS: source === "marks", TINTS: source === "tints" || source === "image", IMAGE: source === "image", FLAT: flat, QUICK: quick };
  const defines = Object.keys(uses).filter((name) => uses[name]).map((name) => `#define ${name}\n`).join("");
  const withDefines = (text) => text.replace("#version 300 es\n", `#version 300 es\n${defines}`);
  return [withDefines(SKIN_VERTEX), withDefines(SKIN_FRAGMENT)];
}

const SKIN_VERTEX = `${POSITION}
in vec2 normal;
in float mark;
in vec3 tint;
in vec2 uv;
uniform mat4 view;
uniform vec3 clay;
uniform sampler2D palette;
out vec3 n, p, c;
out float m;
out vec2 t;
${LIGHT}
void main() {
  vec3 q = vec3(normal, 1.0 - abs(normal.x) - abs(normal.y));
  if (q.z < 0.0) q.xy = (1.0 - abs(q.yx)) * vec2(q.x < 0.0 ? -1.0 : 1.0, q.y < 0.0 ? -1.0 : 1.0);
  vec3 at = world();
  n = mat3(view) * mat3(place) * q;
  p = (view * vec4(at, 1.0)).xyz;
  m = mark;
  t = uv;
#ifdef TINTS
  c = tint * (tint * (tint * 0.305306011 + 0.682171111) + 0.012522878);
#else
  c = clay;
#endif
#if defined(QUICK) && !defined(IMAGE)
#ifdef MARKS
  c = texture(palette, vec2(mark, 0.5)).rgb;
#endif
  vec3 N = normalize(n), V = normalize(-p);
  c = lit(c, dot(N, V) < -0.2 ? -N : N, V, true);
#endif
  gl_Position = camera * vec4(at, 1.0);
}`;

const SKIN_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, p, c;
in float m;
in vec2 t;
uniform sampler2D palette, image;
uniform float alpha;
out vec4 color;
${LIGHT}
void main() {
#if defined(QUICK) && !defined(IMAGE)
  color = vec4(gl_FrontFacing ? c : c * 0.67, alpha);
#else
#ifdef FLAT
  vec3 N = normalize(cross(dFdx(p), dFdy(p)));
#else
  vec3 N = normalize(gl_FrontFacing ? n : -n);
#endif
  vec3 base = c;
#ifdef MARKS
  base = texture(palette, vec2(m, 0.5)).rgb;
#endif
#ifdef IMAGE
  vec4 texel = texture(image, t);
  if (texel.a < 0.5) discard;
  base *= texel.rgb;
#endif
  color = vec4(lit(base, N, normalize(-p), gl_FrontFacing), alpha);
#endif
}`;

export const LINE_VERTEX = `${POSITION}
void main() {
  gl_Position = camera * vec4(world(), 1.0);
  gl_Position.z -= 0.0004 * gl_Position.w;
}`;

export const LINE_FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 ink;
out vec4 color;
void main() { color = ink; }`;

// Along a light from above, onto the ground.
export const SHADOW_VERTEX = `${POSITION}
uniform float ground;
void main() {
  vec3 at = world();
  at.xz += vec2(0.22, -0.3) * (at.y - ground);
  gl_Position = camera * vec4(at.x, ground, at.z, 1.0);
}`;

export const GROUND_VERTEX = `#version 300 es
in vec3 position;
in float strength;
uniform mat4 camera;
out float s;
void main() { s = strength; gl_Position = camera * vec4(position, 1.0); }`;

export const GROUND_FRAGMENT = `#version 300 es
precision mediump float;
in float s;
uniform vec3 ink;
out vec4 color;
void main() { color = vec4(ink * s, s); }`;

// Behind everything, so that what is covered is not shaded.
export const SKY_VERTEX = `#version 300 es
out float height;
void main() {
  vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  height = at.y;
  gl_Position = vec4(at, 1.0, 1.0);
}`;

export const SKY_FRAGMENT = `#version 300 es
precision mediump float;
in float height;
uniform vec3 low, high;
out vec4 color;
void main() {
  vec3 shade = mix(low, high, smoothstep(-1.0, 1.0, height));
  color = vec4(shade + (fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)))) - 0.5) / 255.0, 1.0);
}`;

// Bones: octahedra whose faces have a shade each, in front of everything.
export const BONE_VERTEX = `#version 300 es
in vec3 position;
in float strength;
uniform mat4 camera;
out float s;
void main() { s = strength; gl_Position = camera * vec4(position, 1.0); }`;

export const BONE_FRAGMENT = `#version 300 es
precision mediump float;
in float s;
uniform vec3 ink;
out vec4 color;
void main() { color = vec4(ink * s, 1.0); }`;
