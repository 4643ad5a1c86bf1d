// The mouse, a pen or a finger on the picture: dragging the skin, turning, moving, zooming.

import { fromView, sub } from "./math.js";

const LONG = 550; // milliseconds of a long press, which stands for Shift and Alt where there are no keys
const STILL = 9; // pixels that a finger may move meanwhile

/** The number of a pin that no other page has given one: the pins of all pages, also of earlier ones, stand in one list. */
const newPin = () => 1 + Math.floor(Math.random() * 1e9);

export class Pointer {
  /** view: { canvas, camera, link, mesh(), redraw(), notice(text) }. */
  constructor(view) {
    this.view = view;
    this.mode = null; // "asked", "drag" (a pin of the skin), "handle", "turn", "move" or "pinch" (two fingers)
    this.fingers = new Map();
    this.pending = null;
    this.holds = false; // a long press: the point is held when the finger lifts
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  /** The ray through a place of the picture, in the first figure's own axes. */
  ray(event) {
    const { canvas, camera } = this.view;
    const box = canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const mesh = this.view.mesh();
    const up = mesh.about.up;
    return { origin: fromView(up, sub(camera.eye, mesh.offset)), direction: fromView(up, camera.direction(x, y)) };
  }

  down(event) {
    this.view.canvas.focus();
    this.view.canvas.setPointerCapture(event.pointerId);
    this.last = event;
    if (this.isSecond(event)) this.pinch();
    else if (event.button === 1) this.begin("move");
    else if (event.button === 2 || event.altKey) this.begin("turn");
    else this.grab(newPin(), event);
  }

  /** Notes a finger; whether it is the second, or a further one. */
  isSecond(event) {
    if (event.pointerType === "touch") this.fingers.set(event.pointerId, event);
    return this.fingers.size > 1;
  }

  /** Two fingers zoom and move; what one of them had begun to pull is let go. */
  pinch() {
    this.cancelPress();
    this.drop(false);
    this.begin("pinch");
    this.held = this.span();
  }

  /** Where the first two fingers are: middle and distance. */
  span() {
    const [a, b] = this.fingers.values();
    return { x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) };
  }

  spread(event) {
    if (!this.fingers.has(event.pointerId)) return;
    this.fingers.set(event.pointerId, event);
    const now = this.span();
    this.view.camera.zoom(Math.log(this.held.apart / Math.max(now.apart, 1)));
    this.view.camera.pan(now.x - this.held.x, now.y - this.held.y, this.view.canvas.clientHeight);
    this.held = now;
    this.view.redraw();
  }

  /** A finger or pen that rests: a point of the skin is held from then on, one that was held is let go. */
  press(event, wasHeld) {
    this.cancelPress();
    if (event.pointerType === "mouse") return;
    this.pressed = [event.clientX, event.clientY];
    this.timer = setTimeout(() => {
      if (!["asked", "drag"].includes(this.mode)) return;
      navigator.userActivation?.hasBeenActive && navigator.vibrate?.(20);
      if (!wasHeld) this.holds = true;
      else {
        this.view.link.send("unpin", { pin: this.pin });
        this.begin(null);
      }
      this.view.notice(wasHeld ? "The point is let go." : "The point is held: drag on, or lift the finger.");
    }, LONG);
  }

  cancelPress() {
    clearTimeout(this.timer);
    this.holds = false;
  }

  /** The server that knew of what is held is gone. */
  forget() {
    this.cancelPress();
    this.begin(null);
  }

  /** Asks for what is under the cursor, or takes a pin that holds. */
  grab(pin, event, wasHeld = false) {
    if (!this.view.mesh()) return;
    if (this.isSecond(event)) return this.pinch();
    this.drop(false); // a tap whose answer has not come
    const { camera, link } = this.view;
    this.pin = pin;
    this.pending = null;
    this.last = event;
    const facing = fromView(this.view.mesh().about.up, camera.forward);
    link.send("grab", { ...this.ray(event), facing, pin });
    this.begin("asked");
    this.press(event, wasHeld);
  }

  /** Takes a handle that is drawn at a place of the picture. */
  grip(handle, event, [x, y]) {
    if (this.isSecond(event)) return this.pinch();
    const { camera, canvas, link } = this.view;
    const box = canvas.getBoundingClientRect();
    this.handle = handle;
    this.aside = [box.left + x - event.clientX, box.top + y - event.clientY]; // it was pressed off its center
    this.pending = null;
    this.last = event;
    link.send("grip", { handle, facing: fromView(this.view.mesh().about.up, camera.forward), firm: event.shiftKey });
    this.begin("handle");
  }

  /** The answer of the server to "grab", in the header of a frame. */
  answered({ pin, hit }) {
    if (pin === this.pin && this.mode === "asked") this.begin(hit ? "drag" : "turn");
  }

  begin(mode) {
    this.mode = mode;
    this.view.canvas.classList.toggle("pulling", mode === "drag" || mode === "handle");
    this.view.canvas.classList.toggle("turning", mode === "turn" || mode === "move");
  }

  move(event) {
    if (this.mode === null) return;
    if (this.mode === "pinch") return this.spread(event);
    if (this.pressed && Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) > STILL) clearTimeout(this.timer);
    const [dx, dy] = [event.clientX - this.last.clientX, event.clientY - this.last.clientY];
    if (["asked", "drag", "handle"].includes(this.mode)) {
      if (dx || dy) this.pending = event;
      this.view.redraw();
      return;
    }
    this.last = event;
    if (this.mode === "turn") this.view.camera.orbit(dx, dy);
    else this.view.camera.pan(dx, dy, this.view.canvas.clientHeight);
    this.view.redraw();
  }

  /** Sends where the cursor is, once per picture that was drawn. */
  flush() {
    if (!["drag", "handle"].includes(this.mode) || !this.pending) return;
    const { clientX, clientY } = this.pending;
    if (this.mode === "handle") {
      const ray = this.ray({ clientX: clientX + this.aside[0], clientY: clientY + this.aside[1] });
      this.view.link.send("pull", { ...ray, handle: this.handle });
    } else this.view.link.send("drag", { ...this.ray(this.pending), pin: this.pin });
    this.last = this.pending;
    this.pending = null;
  }

  /** Lets go of what is held, also of what was asked for: the release comes after the grab. */
  drop(hold) {
    if (this.mode === "drag" || this.mode === "asked") this.view.link.send("release", { pin: this.pin, hold });
    if (this.mode === "handle") this.view.link.send("drop", { handle: this.handle });
  }

  up(event) {
    this.fingers.delete(event.pointerId);
    this.flush();
    if (this.fingers.size > 1) return this.pinch();
    this.drop(event.shiftKey || this.holds);
    this.cancelPress();
    this.begin(null);
    this.view.redraw();
  }

  wheel(event) {
    event.preventDefault();
    this.view.camera.zoom(event.deltaY * 0.0012);
    this.view.redraw();
  }
}
