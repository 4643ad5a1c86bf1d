// Draws the figures with WebGL 2.

import { boxInView } from "../math.js";
import { Bones } from "./bones.js";
import { gridLines, niceLength } from "./ground.js";
import { Mesh } from "./mesh.js";
import { paletteBytes } from "./palette.js";
import * as shaders from "./shaders.js";

const LOCATIONS = { position: 0, normal: 1, mark: 2, strength: 1, tint: 3, uv: 4 };
const CLAY = [0.49, 0.45, 0.41]; // linear
const SEEN_THROUGH = 0.42; // of the skin, by x-ray
const REDUCED_ABOVE = 40000; // triangles: below, a machine without graphics hardware draws all of them while moving
const BANDS = 48; // of the sky there: about as many as it has shades; to clear one is far cheaper than to shade it
const QUICK_SHARE = Math.SQRT1_2; // of the pixels each way while something moves, without graphics hardware: half of them
const THEMES = {
  dark: { low: [0.105, 0.112, 0.125], high: [0.265, 0.285, 0.315], ground: [0.75, 0.79, 0.84], bone: [0.98, 0.84, 0.5] },
  light: { low: [0.74, 0.76, 0.79], high: [0.93, 0.94, 0.955], ground: [0.2, 0.22, 0.26], bone: [0.86, 0.6, 0.2] },
};

export class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const software = isSoftware();
    this.software = software;
    this.gl = canvas.getContext("webgl2", { antialias: !software, alpha: false, stencil: !software, preserveDrawingBuffer: false });
    if (!this.gl) throw new Error("this browser has no WebGL 2");
    // moving: what is drawn is replaced at once; it may be coarser.
    this.options = { edges: false, flat: false, ground: true, xray: false, color: "plain", moving: false };
    this.meshes = [];
    this.skins = new Map();
    this.programs = {
      line: this.program(shaders.LINE_VERTEX, shaders.LINE_FRAGMENT),
      shadow: this.program(shaders.SHADOW_VERTEX, shaders.LINE_FRAGMENT),
      ground: this.program(shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT),
      sky: this.program(shaders.SKY_VERTEX, shaders.SKY_FRAGMENT),
      bone: this.program(shaders.BONE_VERTEX, shaders.BONE_FRAGMENT),
    };
    this.palette = this.gl.createTexture();
    this.empty = this.gl.createVertexArray();
    this.bones = new Bones(this.gl, LOCATIONS);
    this.setTheme("dark");
  }

  setTheme(name) {
    this.theme = THEMES[name] ?? THEMES.dark;
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    for (const [name, location] of Object.entries(LOCATIONS)) gl.bindAttribLocation(program, location, name);
    gl.linkProgram(program);
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  /** The program of a way to shade the skin, compiled when it is first drawn. */
  skin(way) {
    const key = JSON.stringify(way);
    if (!this.skins.has(key)) this.skins.set(key, this.program(...shaders.skin(way)));
    return this.skins.get(key);
  }

  /** Takes the meshes of a scene, side by side along x. onReady(): a texture has arrived. */
  load(figures, buffers, onReady) {
    for (const mesh of this.meshes) mesh.free();
    let right = null;
    this.meshes = figures.map((about, i) => {
      const [low, high] = boxInView(about.up, about.box, [0, 0, 0]);
      const offset = [right === null ? 0 : right - low[0], 0, 0];
      right = high[0] + offset[0] + 0.25 * (high[0] - low[0]);
      return new Mesh(this.gl, about, buffers[i], offset, LOCATIONS, onReady);
    });
    const [low, high] = this.box;
    this.ground = low[1];
    this.makeGround(low, high);
  }

  /** The box around all figures as they are shown. */
  get box() {
    const boxes = this.meshes.map((mesh) => mesh.box);
    return [Math.min, Math.max].map((side, end) => [0, 1, 2].map((i) => side(...boxes.map((box) => box[end][i]))));
  }

  makeGround(low, high) {
    const gl = this.gl;
    const lines = gridLines(niceLength(0.12 * Math.hypot(...high.map((x, i) => x - low[i]))), low[1]);
    for (let i = 0; i < lines.length; i += 4) lines[i] += (low[0] + high[0]) / 2, (lines[i + 2] += (low[2] + high[2]) / 2);
    this.grid = { array: gl.createVertexArray(), count: lines.length / 4 };
    gl.bindVertexArray(this.grid.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, lines, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(LOCATIONS.position);
    gl.vertexAttribPointer(LOCATIONS.position, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(LOCATIONS.strength);
    gl.vertexAttribPointer(LOCATIONS.strength, 1, gl.FLOAT, false, 16, 12);
  }

  setColor(mode) {
    if (this.options.color === mode) return;
    this.options.color = mode;
    if (mode === "plain" || mode === "material") return;
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, paletteBytes(mode));
    for (const [key, value] of [["MIN_FILTER", gl.LINEAR], ["MAG_FILTER", gl.LINEAR], ["WRAP_S", gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${key}`], value);
  }

  /** True if what is drawn may be coarse: it is replaced at once, on a machine without graphics hardware. */
  get isQuick() {
    return this.software && this.options.moving;
  }

  /** Fits the canvas to its place on the page; returns the ratio of its sides. */
  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    const ratio = this.isQuick ? QUICK_SHARE : this.software ? 1 : Math.min(2, window.devicePixelRatio);
    const [width, height] = [Math.max(1, Math.round(clientWidth * ratio)), Math.max(1, Math.round(clientHeight * ratio))];
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    return Math.max(1, clientWidth) / Math.max(1, clientHeight);
  }

  draw(camera) {
    const gl = this.gl;
    camera.aspect = this.resize();
    const [matrix, view] = [camera.matrix, camera.view];
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    if (this.isQuick) this.clearSky();
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL); // the sky lies at the far end
    const ready = this.meshes.filter((mesh) => mesh.ready);
    if (!this.options.xray) for (const mesh of ready) this.drawMesh(mesh, matrix, view, 1);
    if (!this.isQuick) this.drawSky();
    if (this.options.ground && camera.eye[1] >= this.ground) this.drawGround(matrix);
    if (this.options.xray) this.drawThrough(ready, matrix, view);
    if (this.options.edges) for (const mesh of ready) this.drawEdges(mesh, matrix);
    if (this.bones.count) this.drawBones(matrix);
    gl.bindVertexArray(null);
  }

  /** The sky in bands, from the ground up. */
  clearSky() {
    const gl = this.gl;
    const { low, high } = this.theme;
    const { width, height } = this.canvas;
    gl.enable(gl.SCISSOR_TEST);
    for (let band = 0; band < BANDS; ++band) {
      const [from, to] = [band, band + 1].map((edge) => Math.round((edge * height) / BANDS));
      const share = (band + 0.5) / BANDS;
      const shade = share * share * (3 - 2 * share);
      gl.scissor(0, from, width, to - from);
      gl.clearColor(...low.map((x, i) => x + shade * (high[i] - x)), 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
    }
    gl.disable(gl.SCISSOR_TEST);
  }

  drawSky() {
    const gl = this.gl;
    const { program, uniforms } = this.programs.sky;
    gl.depthMask(false);
    gl.useProgram(program);
    gl.uniform3fv(uniforms.low, this.theme.low);
    gl.uniform3fv(uniforms.high, this.theme.high);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);
  }

  /** The skin as glass: its nearest layer alone, over what lies behind it. */
  drawThrough(meshes, matrix, view) {
    const gl = this.gl;
    gl.colorMask(false, false, false, false);
    for (const mesh of meshes) this.drawMesh(mesh, matrix, view, 1);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    for (const mesh of meshes) this.drawMesh(mesh, matrix, view, SEEN_THROUGH);
    gl.disable(gl.BLEND);
    gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  use({ program, uniforms }, mesh, matrix) {
    const gl = this.gl;
    gl.useProgram(program);
    gl.uniform3fv(uniforms.low, mesh.low);
    gl.uniform3fv(uniforms.extent, mesh.extent);
    gl.uniformMatrix4fv(uniforms.place, false, mesh.place);
    gl.uniformMatrix4fv(uniforms.camera, false, matrix);
    return uniforms;
  }

  drawMesh(mesh, matrix, view, alpha) {
    const { flat, color } = this.options;
    const quick = this.isQuick && !flat;
    const heavy = mesh.about.triangles > REDUCED_ABOVE;
    const part = this.isQuick && heavy ? "reduced" : "triangles";
    const marked = color !== "plain" && color !== "material" && mesh === this.meshes[0];
    const shade = (source, draw) => {
      const uniforms = this.use(this.skin({ source, flat, quick }), mesh, matrix);
      this.gl.uniformMatrix4fv(uniforms.view, false, view);
      this.gl.uniform3fv(uniforms.clay, CLAY);
      this.gl.uniform1f(uniforms.alpha, alpha);
      draw();
    };
    if (color === "material" && mesh.look) mesh.look.draw(part, shade);
    else {
      this.gl.bindTexture(this.gl.TEXTURE_2D, this.palette);
      shade(marked ? "marks" : "clay", () => mesh.draw(part, this.gl.TRIANGLES));
    }
  }

  drawEdges(mesh, matrix) {
    const gl = this.gl;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform4fv(this.use(this.programs.line, mesh, matrix).ink, [0.06, 0.07, 0.09, 0.34]);
    mesh.draw("edges", gl.LINES);
    gl.disable(gl.BLEND);
  }

  drawBones(matrix) {
    const gl = this.gl;
    const { program, uniforms } = this.programs.bone;
    gl.clear(gl.DEPTH_BUFFER_BIT); // in front of the skin, and of each other as they lie
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.camera, false, matrix);
    gl.uniform3fv(uniforms.ink, this.theme.bone);
    this.bones.draw();
  }

  drawGround(matrix) {
    const gl = this.gl;
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.programs.ground.program);
    gl.uniformMatrix4fv(this.programs.ground.uniforms.camera, false, matrix);
    gl.uniform3fv(this.programs.ground.uniforms.ink, this.theme.ground);
    gl.bindVertexArray(this.grid.array);
    gl.drawArrays(gl.LINES, 0, this.grid.count);
    if (!this.software) this.drawShadows(matrix);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  drawShadows(matrix) {
    const gl = this.gl;
    gl.enable(gl.STENCIL_TEST); // each pixel is darkened once
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    for (const mesh of this.meshes.filter((m) => m.ready)) {
      const uniforms = this.use(this.programs.shadow, mesh, matrix);
      gl.uniform1f(uniforms.ground, this.ground);
      gl.uniform4fv(uniforms.ink, [0, 0, 0, 0.32]);
      mesh.draw("reduced", gl.TRIANGLES);
    }
    gl.disable(gl.STENCIL_TEST);
  }
}

/** Whether the machine draws without graphics hardware: antialiasing and shadows would cost it every second frame. */
function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl ? gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
