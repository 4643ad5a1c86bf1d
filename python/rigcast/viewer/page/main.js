// The page: what the server sends is drawn, what is done is sent.

import { Acting } from "./acting.js";
import { Camera } from "./draw/camera.js";
import { Renderer } from "./draw/renderer.js";
import { Dropping } from "./dropping.js";
import { Film } from "./film.js";
import { Labels } from "./labels.js";
import { Link } from "./link.js";
import { Overlay } from "./overlay.js";
import { Pointer } from "./pointer.js";
import { Recording } from "./recording.js";
import { download } from "./save.js";
import { Sliders } from "./sliders.js";
import { Timeline } from "./timeline.js";
import { isPressed, Tools } from "./tools.js";
import { Trust } from "./trust.js";
import { Upload } from "./upload.js";
import { frameVertices, sceneBuffers, unpacked } from "./wire.js";

const $ = (id) => document.getElementById(id);
const byId = (...ids) => Object.fromEntries(ids.map((id) => [id, $(id)]));
const NOTICE = 6000; // milliseconds that a sentence is shown
const READING = 40; // milliseconds per letter: a longer text stays longer
const MOVING = 150; // milliseconds: what is drawn again before then moves
const NEEDS_A_SERVER = ["panel", "timeline"]; // of what is on the page

class View {
  constructor() {
    this.canvas = $("canvas");
    this.stage = $("stage");
    this.camera = new Camera();
    this.renderer = new Renderer(this.canvas);
    this.frame = null; // header of the frame that is shown
    this.arrived = null; // of the next one, with its bytes
    this.scene = null;
    this.wanted = false;
    this.drawnAt = -Infinity;
    this.isSettled = false; // nothing has moved for a while: the next picture is a full one
    this.statistics = { frames: 0, drawn: 0, work: [] };
    this.link = this.source();
    this.pointer = new Pointer(this);
    this.overlay = new Overlay($("pins"), (pin, event) => this.clickPin(pin, event), (handle, event, at) => this.clickHandle(handle, event, at));
    this.uploads = new Upload(this.link);
    this.film = new Film(this);
    this.dropping = new Dropping(this);
    this.labels = new Labels($("labels"));
    this.trust = new Trust(byId("badge", "legend", "readout"), this.canvas, (event) => this.link.send("probe", this.pointer.ray(event)));
    this.sliders = new Sliders(byId("sliders", "search", "nothing"), this.link);
    this.timeline = new Timeline(byId("play", "clip", "key", "unkey", "previous", "next", "speed", "frames", "track", "time"), this.link);
    this.acting = new Acting(byId("acting", "requests", "doing", "seed", "restart", "board", "said", "newgame", "score", "moods", "turns"), this.link);
    this.tools = new Tools(this);
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    this.canvas.addEventListener("pointerdown", () => this.isPassing && this.notice("")); // it was read, or stands in the way
  }

  /** The server, or what stands in for it in a page that was saved: its model, or its frames. */
  source() {
    const on = {
      message: (buffer, time) => this.message(buffer, time),
      state: (connected, why) => this.connected(connected, why),
      missed: (pin) => this.pointer.answered({ pin, hit: false }),
      rate: () => this.frame?.timeline.fps ?? 30,
    };
    const recorded = $("recording");
    this.isServed = !window.rigcastSource && recorded === null;
    if (window.rigcastSource) return window.rigcastSource(on);
    document.body.classList.toggle("recorded", recorded !== null);
    return recorded ? new Recording(on, JSON.parse(recorded.textContent)) : new Link(on);
  }

  /** What only a server can do is grayed out while there is none. */
  connected(connected, why) {
    $("lost").hidden = connected;
    $("lost").textContent = why ?? "";
    document.body.classList.toggle("is-away", !connected);
    for (const element of [...NEEDS_A_SERVER.map($), ...document.querySelectorAll(".tools .edits")]) element.inert = !connected;
    if (connected) return;
    this.trust.forget();
    this.pointer.forget();
    this.uploads.refused();
    this.dropping.answered(why ?? "");
    this.film.answered(false);
    this.film.interrupt();
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
    } else if (header.type === "probe") this.trust.answered(header.value);
    else if (header.type === "file") download(header.name, new Blob([buffer.slice(offset)]));
    else if (header.type === "clips") this.timeline.load(header.names);
    else if (header.type === "kept") this.film.answered(true);
    else if (header.type === "received") this.uploads.confirmed(header.bytes);
    else if (header.type === "opened") this.dropping.answered(header.text);
    else if (header.type === "refused") this.refused(header.text);
    else if (header.type === "notice") this.notice(header.text);
  }

  /** The server does not take what this page sends. */
  refused(text) {
    if (!this.dropping.answered(text)) this.notice(text);
    this.uploads.refused();
    this.film.answered(false);
  }

  /** Nothing of what was shown before another character holds for it. */
  forget() {
    this.frame = null;
    this.trust.forget();
    this.pointer.forget();
    this.overlay.clear();
  }

  load(scene, buffers) {
    const again = this.scene !== null && identity(this.scene) === identity(scene);
    this.scene = scene;
    this.arrived = null; // of the scene before
    this.film.interrupt();
    if (!again) this.forget();
    this.renderer.load(scene.figures, buffers, () => this.redraw());
    const first = scene.figures[0];
    document.title = `${first.name} - rigcast`;
    $("name").textContent = first.name;
    $("kind").textContent = `${first.kind}, ${first.vertices.toLocaleString("en")} vertices, ${scene.sliders.length} channels`;
    this.labels.load(scene.figures.length > 1 ? scene.figures.map((figure) => figure.name) : []);
    this.sliders.load(scene.sliders, scene.groups);
    this.timeline.load(scene.clips ?? []);
    this.acting.load(scene);
    this.tools.load(scene);
    if (!again) {
      if (scene.figures.length > 1) this.camera.turn = 0.15;
      this.camera.aspect = this.renderer.resize();
      this.fit();
    }
    this.redraw();
  }

  fit() {
    this.camera.fit(...this.renderer.box);
    this.redraw();
  }

  lookFrom(side) {
    this.camera.lookFrom(side);
    this.fit();
  }

  /** All stays in view, unless the camera was moved by hand. */
  resized() {
    if (this.scene && !this.camera.isMoved) {
      this.camera.aspect = this.renderer.resize();
      this.camera.fit(...this.renderer.box);
    }
    this.redraw();
  }

  /** Another theme: what is drawn has other colors, too. */
  recolored() {
    this.renderer.setTheme(document.documentElement.dataset.theme);
    this.timeline?.draw();
    this.redraw();
  }

  redraw() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => this.render());
  }

  render() {
    this.wanted = false;
    if (!this.scene) return this.renderer.draw(this.camera); // the sky alone
    const begin = performance.now();
    const arrived = this.arrived;
    this.arrived = null;
    if (arrived) this.upload(arrived);
    const moves = this.pointer.mode !== null || (this.frame?.timeline.playing ?? false) || begin - this.drawnAt < MOVING;
    this.renderer.options.moving = moves && !this.isSettled;
    this.isSettled = false;
    this.renderer.draw(this.camera);
    this.sharpen();
    this.statistics.drawn += 1;
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
    this.labels.place(this.camera, this.renderer.meshes.map((mesh) => mesh.box));
    this.drawnAt = performance.now();
  }

  /** Draws once more, in full, when nothing has moved for a while. */
  sharpen() {
    clearTimeout(this.sharpener);
    if (!this.renderer.isQuick) return;
    this.sharpener = setTimeout(() => {
      this.isSettled = true;
      this.redraw();
    }, MOVING);
  }

  upload({ header, buffer, offset }) {
    frameVertices(this.scene.figures, buffer, offset).forEach((bytes, i) => this.renderer.meshes[i].upload(bytes, header.boxes[i]));
    this.frame = header;
    this.renderer.bones.set(header.bones ?? null, this.scene.figures[0].parents ?? [], this.mesh());
    this.renderer.setColor(header.follows === false && header.color === "error" ? "plain" : header.color);
  }

  showState(frame) {
    this.sliders.show(frame.row);
    this.timeline.show(frame.timeline);
    this.acting.show(frame.acting);
    this.tools.show(frame);
    if (frame.grab) this.pointer.answered(frame.grab);
    if (frame.notice) this.notice(frame.notice);
    this.showFootage(frame.timeline.picture);
    this.trust.show(frame);
  }

  /** The picture that this frame was captured from, if there is one and it is wanted. */
  showFootage(address) {
    $("video").hidden = !address;
    $("footage").hidden = !address || !isPressed("video");
    if (address && $("footage").src !== address) $("footage").src = address;
  }

  /** Says something for a while, or until something else is said; nothing if it is empty. */
  notice(text, stays = false) {
    const box = $("notice");
    box.textContent = text;
    box.hidden = !text;
    this.isPassing = !stays;
    clearTimeout(this.noticeTimer);
    if (!stays) this.noticeTimer = setTimeout(() => (box.hidden = true), Math.max(NOTICE, READING * text.length));
  }

  /** A held pin: grabbed again, or with Alt taken away. */
  clickPin(pin, event) {
    event.preventDefault();
    if (event.altKey) return this.link.send("unpin", { pin });
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer.grab(pin, event, true);
  }

  clickHandle(handle, event, at) {
    event.preventDefault();
    if (event.button !== 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer.grip(handle, event, at);
  }

  fileName() {
    return this.scene.figures[0].name.replace(/[^\w.-]+/g, "-");
  }

  /** The view as PNG; drawn again, since the buffer is gone after it was shown. */
  picture() {
    this.renderer.options.moving = false;
    this.renderer.draw(this.camera);
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
}

/** Equal for scenes of the same characters at rest. */
const identity = ({ figures }) => JSON.stringify(figures.map(({ name, vertices, box }) => [name, vertices, box]));

try {
  window.view = new View();
} catch (error) {
  $("lost").hidden = false;
  $("lost").textContent = error.message;
}
