// The page: what the server sends is drawn, what is done is sent.

import { Acting } from "./acting.js";
import { Camera } from "./camera.js";
import { Film } from "./film.js";
import { Link } from "./link.js";
import { add, toView, transform } from "./math.js";
import { Overlay } from "./overlay.js";
import { paletteGradient } from "./palette.js";
import { Pointer } from "./pointer.js";
import { Recording } from "./recording.js";
import { Renderer } from "./renderer.js";
import { download } from "./save.js";
import { Sliders } from "./sliders.js";
import { Timeline } from "./timeline.js";
import { frameVertices, sceneBuffers, unpacked } from "./wire.js";

const $ = (id) => document.getElementById(id);
const byId = (...ids) => Object.fromEntries(ids.map((id) => [id, $(id)]));
const NOTICE = 6000; // milliseconds
const SIDES = { 0: "oblique", 1: "front", 3: "side", 7: "above" }; // by key

class View {
  constructor() {
    this.canvas = $("canvas");
    this.camera = new Camera();
    this.renderer = new Renderer(this.canvas);
    this.frame = null; // header of the frame that is shown
    this.arrived = null; // of the next one, with its bytes
    this.scene = null;
    this.wanted = false;
    this.statistics = { frames: 0, work: [] };
    this.link = this.source();
    this.pointer = new Pointer(this);
    this.overlay = new Overlay($("pins"), (pin, event) => this.clickPin(pin, event), (handle, event, at) => this.clickHandle(handle, event, at));
    this.film = new Film(this);
    this.sliders = new Sliders($("sliders"), $("search"), this.link);
    this.timeline = new Timeline(byId("play", "key", "unkey", "previous", "next", "speed", "frames", "track", "time"), this.link);
    this.acting = new Acting(byId("acting", "requests", "doing", "seed", "restart", "board", "said", "newgame", "score", "moods", "turns"), this.link);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    this.connectTools();
  }

  /** The server, or what stands in for it in a page that was saved: its model, or its frames. */
  source() {
    const on = {
      message: (buffer, time) => this.message(buffer, time),
      state: (connected) => ($("lost").hidden = connected),
      missed: (pin) => this.pointer.answered({ pin, hit: false }),
      rate: () => this.frame?.timeline.fps ?? 24,
    };
    if (window.rigcastSource) return window.rigcastSource(on);
    const recorded = $("recording");
    document.body.classList.toggle("recorded", recorded !== null);
    return recorded ? new Recording(on, JSON.parse(recorded.textContent)) : new Link(on);
  }

  mesh() {
    return this.renderer.meshes[0];
  }

  message(buffer, time) {
    const { header, offset } = unpacked(buffer);
    if (time) Object.assign(header.timeline ?? {}, time);
    if (header.type === "scene") this.load(header, sceneBuffers(header, buffer, offset));
    else if (header.type === "frame") {
      this.arrived = { header, buffer, offset };
      this.redraw();
    } else if (header.type === "file") download(header.name, new Blob([buffer.slice(offset)]));
    else if (header.type === "kept") this.film.answered(header.pictures);
    else if (header.type === "notice") {
      this.notice(header.text);
      this.film.answered();
    }
  }

  load(scene, buffers) {
    const again = this.scene !== null;
    this.scene = scene;
    this.renderer.load(scene.figures, buffers);
    const first = scene.figures[0];
    document.title = `${first.name} - rigcast`;
    $("name").textContent = first.name;
    $("kind").textContent = `${first.kind}, ${first.vertices.toLocaleString("en")} vertices, ${scene.sliders.length} channels`;
    $("labels").replaceChildren(...(scene.figures.length > 1 ? scene.figures.map((figure) => Object.assign(document.createElement("span"), { textContent: figure.name })) : []));
    this.sliders.load(scene.sliders, scene.groups);
    this.acting.load(scene);
    document.body.classList.toggle("has-handles", scene.handles);
    $("refit").hidden = !scene.corrects;
    $("movie").disabled = !scene.movie;
    if (!scene.movie) $("movie").title = "A movie needs ffmpeg on the PATH of the server; Sequence saves the pictures without it";
    this.choices("color", scene.colors);
    this.choices("export", ["", ...scene.exports]);
    if (!again) {
      if (scene.figures.length > 1) this.camera.turn = 0.15;
      this.camera.aspect = this.renderer.resize();
      this.fit();
    }
    this.redraw();
  }

  choices(id, values) {
    const words = { plain: "skin", error: "error", confidence: "confidence", bound: "error bound", npz: ".npz poses", bvh: ".bvh motion", glb: ".glb", blend: ".blend", "": "format ..." };
    $(id).replaceChildren(...values.map((value) => new Option(words[value], value)));
  }

  fit() {
    this.camera.fit(...this.renderer.box);
    this.redraw();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => this.render());
  }

  render() {
    this.wanted = false;
    if (!this.scene) return;
    const begin = performance.now();
    const arrived = this.arrived;
    this.arrived = null;
    if (arrived) {
      frameVertices(this.scene.figures, arrived.buffer, arrived.offset).forEach((bytes, i) => this.renderer.meshes[i].upload(bytes, arrived.header.boxes[i]));
      this.frame = arrived.header;
      if (this.renderer.options.color !== this.frame.color) this.renderer.setColor(this.frame.color);
    }
    this.renderer.options.reduced = this.pointer.mode !== null || (this.frame?.timeline.playing ?? false);
    this.renderer.draw(this.camera);
    if (arrived) {
      this.statistics.work.push(performance.now() - begin);
      this.statistics.frames += 1;
      if (this.statistics.work.length > 1000) this.statistics.work.shift();
      this.pointer.flush();
      this.link.send("shown", { frame: arrived.header.frame });
      this.showState(arrived.header);
      this.film.shown(arrived.header);
    } else this.pointer.flush();
    if (this.frame && this.mesh()) this.overlay.draw(this.camera, this.mesh(), this.frame);
    this.placeLabels();
  }

  showState(frame) {
    this.sliders.show(frame.row);
    this.timeline.show(frame.timeline);
    this.acting.show(frame.acting);
    $("undo").disabled = !frame.undo;
    $("redo").disabled = !frame.redo;
    if (document.activeElement !== $("color")) $("color").value = frame.color;
    if (frame.grab) this.pointer.answered(frame.grab);
    if (frame.notice) this.notice(frame.notice);
    this.showFootage(frame.timeline.picture);
    this.showTrust(frame);
    this.showLegend(frame);
  }

  /** The picture that this frame was captured from, if there is one and it is wanted. */
  showFootage(address) {
    $("video").hidden = !address;
    $("footage").hidden = !address || !$("video").classList.contains("on");
    if (address && $("footage").src !== address) $("footage").src = address;
  }

  showTrust({ confidence }) {
    const badge = $("badge");
    badge.hidden = confidence === null || confidence > 0.9;
    if (badge.hidden) return;
    badge.textContent = `unlike the training poses: confidence ${confidence.toFixed(2)}`;
    badge.classList.toggle("warn", confidence < 0.5);
  }

  showLegend({ color, error }) {
    const legend = $("legend");
    legend.hidden = color === "plain";
    if (legend.hidden) return;
    legend.querySelector(".ramp").style.background = paletteGradient(color);
    const measured = (color === "error" || color === "bound") && error;
    const what = color === "bound" ? "95 % of errors stay below: " : "";
    const [low, high] = measured ? ["0", `${error.full.toPrecision(2)} mm`] : ["confident", "outside"];
    legend.querySelector(".said").textContent = measured ? `${what}mean ${error.mean.toFixed(2)} mm, max ${error.max.toFixed(1)} mm` : "";
    legend.querySelector(".low").textContent = low;
    legend.querySelector(".high").textContent = high;
  }

  placeLabels() {
    [...$("labels").children].forEach((label, i) => {
      const [low, high] = this.renderer.meshes[i].box;
      const at = transform(this.camera.matrix, [(low[0] + high[0]) / 2, high[1], (low[2] + high[2]) / 2]);
      label.style.left = `${((at[0] + 1) / 2) * this.canvas.clientWidth}px`;
      label.style.top = `${Math.max(4, ((1 - at[1]) / 2) * this.canvas.clientHeight - 26)}px`;
    });
  }

  notice(text) {
    const box = $("notice");
    box.textContent = text;
    box.hidden = false;
    clearTimeout(this.noticeTimer);
    this.noticeTimer = setTimeout(() => (box.hidden = true), NOTICE);
  }

  /** A held pin: grabbed again, or with Alt taken away. */
  clickPin(pin, event) {
    event.preventDefault();
    if (event.altKey) return this.link.send("unpin", { pin });
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer.grab(pin, event);
  }

  clickHandle(handle, event, at) {
    event.preventDefault();
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer.grip(handle, event, at);
  }

  connectTools() {
    const click = (id, action) => $(id).addEventListener("click", action);
    const toggle = (id, option) => {
      click(id, () => {
        this.renderer.options[option] = $(id).classList.toggle("on");
        this.redraw();
      });
    };
    toggle("wire", "edges");
    toggle("flat", "flat");
    toggle("ground", "ground");
    click("handles", () => {
      this.overlay.showsHandles = $("handles").classList.toggle("on");
      this.redraw();
    });
    click("video", () => {
      $("video").classList.toggle("on");
      this.showFootage(this.frame?.timeline.picture);
    });
    click("frame", () => this.fit());
    click("undo", () => this.link.send("undo"));
    click("redo", () => this.link.send("redo"));
    click("refit", () => {
      this.notice("fitting the actor's shapes, and solving the shot again ...");
      this.link.send("refit");
    });
    click("reset", () => this.link.send("reset", { channels: this.scene.sliders.map((_, i) => i) }));
    click("fromleft", () => this.link.send("mirror", { from: "left" }));
    click("fromright", () => this.link.send("mirror", { from: "right" }));
    click("picture", async () => download(`${this.fileName()}.png`, await this.picture()));
    click("sequence", () => this.film.sequence());
    click("movie", () => this.film.movie());
    $("color").addEventListener("change", () => {
      this.link.send("color", { mode: $("color").value });
      $("color").blur();
    });
    $("export").addEventListener("change", () => {
      if ($("export").value) this.link.send("export", { format: $("export").value });
      $("export").value = "";
    });
    addEventListener("keydown", (event) => this.shortcut(event));
  }

  shortcut(event) {
    if (event.target.matches("input, select")) return;
    const letter = event.key.toLowerCase();
    const keys = { w: "wire", s: "flat", g: "ground", h: "handles", f: "frame", v: "video", k: "key", " ": "play" };
    const commanded = event.ctrlKey || event.metaKey;
    if (SIDES[letter] && !commanded) {
      this.camera.lookFrom(SIDES[letter]);
      this.fit();
    }
    const id = commanded ? { z: event.shiftKey ? "redo" : "undo", y: "redo" }[letter] : keys[letter];
    if (!id) return;
    event.preventDefault();
    $(id).click();
  }

  fileName() {
    return this.scene.figures[0].name.replace(/[^\w.-]+/g, "-");
  }

  /** The view as PNG; drawn again, since the buffer is gone after it was shown. */
  picture() {
    this.renderer.draw(this.camera);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}

try {
  window.view = new View();
} catch (error) {
  $("lost").hidden = false;
  $("lost").textContent = error.message;
}
