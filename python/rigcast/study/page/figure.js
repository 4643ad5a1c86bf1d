// Draws figures with WebGL 2, in the light and by the camera of the study's pictures; one painter serves all faces.

const VERTEX = `#version 300 es
in vec3 position;
in vec3 normal;
in vec3 albedo;
uniform vec2 turn; // cosine and sine of the angle around the vertical axis
uniform highp vec3 lens; // focal length in edges, distance, near
out vec3 place;
out vec3 facing;
out vec3 color;
vec3 turned(vec3 v) { return vec3(turn.x * v.x + turn.y * v.z, v.y, turn.x * v.z - turn.y * v.x); }
void main() {
  place = turned(position);
  facing = turned(normal);
  color = albedo;
  float depth = lens.y - place.z;
  float far = 2.0 * lens.y;
  gl_Position = vec4(2.0 * lens.x * place.xy, (far + lens.z) / (far - lens.z) * depth - 2.0 * far * lens.z / (far - lens.z), depth);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
const int MOST = 8;
in vec3 place;
in vec3 facing;
in vec3 color;
uniform highp vec3 lens;
uniform int lights;
uniform vec3 directions[MOST];
uniform vec3 colors[MOST];
uniform vec3 sky;
uniform vec3 ground;
uniform vec3 up;
uniform vec4 surface; // wrap, specular, exponent, gamma
out vec4 result;
void main() {
  vec3 view = normalize(vec3(0.0, 0.0, lens.y) - place);
  vec3 n = normalize(facing) * (gl_FrontFacing ? 1.0 : -1.0);
  float above = 0.5 + 0.5 * dot(n, up);
  vec3 radiance = color * mix(ground, sky, above);
  for (int i = 0; i < lights; ++i) {
    float diffuse = max(0.0, dot(n, directions[i]) + surface.x) / (1.0 + surface.x);
    float half_ = max(dot(n, normalize(directions[i] + view)), 1e-6);
    radiance += colors[i] * (diffuse * color + surface.y * pow(half_, surface.z));
  }
  result = vec4(pow(clamp(radiance, 0.0, 1.0), vec3(1.0 / surface.w)), 1.0);
}`;

const ATTRIBUTES = ["position", "normal", "albedo"];

/** Triangles, colors, camera and light of a `.faces` file. */
export function facesOf(buffer) {
  const bytes = new Uint8Array(buffer);
  const start = bytes.indexOf(10) + 1;
  const about = JSON.parse(new TextDecoder().decode(bytes.subarray(0, start)));
  const triangles = new Uint32Array(buffer, start, 3 * about.triangles);
  return { ...about, triangles, albedo: new Float32Array(buffer, start + triangles.byteLength, 3 * about.vertices) };
}

/** A canvas on which one figure at a time is drawn. */
export class Painter {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("this browser cannot draw figures: it has no WebGL 2");
    this.program = this.compiled();
    this.vertices = this.gl.createBuffer();
    this.shapes = new WeakMap(); // of the faces of files
  }

  compiled() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    ATTRIBUTES.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    return program;
  }

  /** The vertex array of a topology: its indices and colors stay on the card. */
  shapeOf(faces) {
    if (this.shapes.has(faces)) return this.shapes.get(faces);
    const { gl } = this;
    const shape = gl.createVertexArray();
    gl.bindVertexArray(shape);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    for (const [at, offset] of [[0, 0], [1, 12]]) gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, offset);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, faces.albedo, gl.STATIC_DRAW);
    gl.vertexAttribPointer(2, 3, gl.FLOAT, false, 12, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces.triangles, gl.STATIC_DRAW);
    for (const at of [0, 1, 2]) gl.enableVertexAttribArray(at);
    gl.bindVertexArray(null);
    this.shapes.set(faces, shape);
    return shape;
  }

  /** Draw a figure, vertices and normals (V, 6) turned by an angle in degrees, `pixels` wide and high. */
  paint(faces, vertices, degrees, pixels) {
    const { gl, program, canvas } = this;
    if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
    gl.viewport(0, 0, pixels, pixels);
    const { camera, light } = faces;
    gl.clearColor(...light.background.map((x) => x ** (1 / light.gamma)), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(program);
    const at = (name) => gl.getUniformLocation(program, name);
    const angle = (degrees * Math.PI) / 180;
    gl.uniform2f(at("turn"), Math.cos(angle), Math.sin(angle));
    gl.uniform3f(at("lens"), camera.focal, camera.distance, camera.near);
    gl.uniform1i(at("lights"), light.directions.length);
    gl.uniform3fv(at("directions"), light.directions.flat());
    gl.uniform3fv(at("colors"), light.colors.flat());
    for (const name of ["sky", "ground", "up"]) gl.uniform3fv(at(name), light[name]);
    gl.uniform4f(at("surface"), light.wrap, light.specular, light.exponent, light.gamma);
    gl.bindVertexArray(this.shapeOf(faces));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertices);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STREAM_DRAW);
    gl.drawElements(gl.TRIANGLES, faces.triangles.length, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
    return canvas;
  }
}
