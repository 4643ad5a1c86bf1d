// Skin with a key, a fill and a rim light; lines; the shadow on the ground.

const POSITION = `#version 300 es
in vec3 position;
uniform vec3 low, extent;
uniform mat4 place, camera;
vec3 world() { return (place * vec4(low + position * extent, 1.0)).xyz; }`;

export const SKIN_VERTEX = `${POSITION}
in vec2 normal;
in float mark;
uniform mat4 view;
out vec3 n, p;
out float m;
void main() {
  vec3 q = vec3(normal, 1.0 - abs(normal.x) - abs(normal.y));
  if (q.z < 0.0) q.xy = (1.0 - abs(q.yx)) * vec2(q.x < 0.0 ? -1.0 : 1.0, q.y < 0.0 ? -1.0 : 1.0);
  vec3 at = world();
  n = mat3(view) * mat3(place) * q;
  p = (view * vec4(at, 1.0)).xyz;
  m = mark;
  gl_Position = camera * vec4(at, 1.0);
}`;

export const SKIN_FRAGMENT = `#version 300 es
precision highp float;
in vec3 n, p;
in float m;
uniform sampler2D palette;
uniform bool flatShaded, colored;
uniform vec3 clay;
out vec4 color;
void main() {
  vec3 N = flatShaded ? normalize(cross(dFdx(p), dFdy(p))) : normalize(n);
  if (!gl_FrontFacing) N = flatShaded ? N : -N;
  vec3 V = normalize(-p);
  vec3 base = colored ? texture(palette, vec2(m, 0.5)).rgb : clay;
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
  if (!gl_FrontFacing) linear *= 0.45;
  color = vec4(sqrt(linear / (1.0 + 0.1 * linear)) * 1.03, 1.0);
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
out vec4 color;
void main() { color = vec4(vec3(0.75, 0.79, 0.84) * s, s); }`;

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
out vec4 color;
void main() {
  vec3 shade = mix(vec3(0.105, 0.112, 0.125), vec3(0.265, 0.285, 0.315), smoothstep(-1.0, 1.0, height));
  color = vec4(shade + (fract(52.98 * fract(dot(gl_FragCoord.xy, vec2(0.0671, 0.00584)))) - 0.5) / 255.0, 1.0);
}`;
