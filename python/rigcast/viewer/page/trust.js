// How far what is shown can be trusted: the badge, the legend, and the value under the cursor.

import { paletteGradient } from "./draw/palette.js";

const DOES_NOT_FOLLOW = "the recording does not follow";

export class Trust {
  /** elements: { badge, legend, readout }. ask(event): asks for the value at a place of the picture. */
  constructor(elements, canvas, ask) {
    this.elements = elements;
    this.canvas = canvas;
    this.ask = ask;
    this.asked = false;
    this.at = null;
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("pointerdown", () => this.leave());
  }

  show(frame) {
    this.frame = frame;
    this.showBadge(frame);
    this.showLegend(frame);
    if (!this.isColored) this.leave();
    else if (this.at) this.request();
  }

  get isColored() {
    return ["error", "confidence", "bound"].includes(this.frame?.color);
  }

  showBadge({ confidence }) {
    const { badge } = this.elements;
    badge.hidden = confidence === null || confidence > 0.9;
    if (badge.hidden) return;
    badge.textContent = `unlike the training poses: confidence ${confidence.toFixed(2)}`;
    badge.classList.toggle("warn", confidence < 0.5);
  }

  showLegend({ color, error, follows }) {
    const { legend } = this.elements;
    legend.hidden = !this.isColored;
    if (legend.hidden) return;
    const apart = color === "error" && follows === false;
    const measured = (color === "error" || color === "bound") && error;
    const what = color === "bound" ? "95 % of errors stay below: " : "";
    const [low, high] = measured ? ["0", `${error.full.toPrecision(2)} mm`] : apart ? ["", ""] : ["confident", "outside"];
    const said = measured ? `${what}mean ${error.mean.toFixed(2)} mm, max ${error.max.toFixed(1)} mm` : apart ? DOES_NOT_FOLLOW : "";
    const ramp = legend.querySelector(".ramp");
    ramp.hidden = apart;
    ramp.style.background = paletteGradient(color);
    legend.querySelector(".said").textContent = said;
    legend.querySelector(".low").textContent = low;
    legend.querySelector(".high").textContent = high;
  }

  hover(event) {
    if (event.buttons || event.pointerType === "touch" || !this.isColored) return this.leave();
    this.at = { clientX: event.clientX, clientY: event.clientY };
    this.request();
  }

  /** One question at a time: the next one is asked where the cursor is then. */
  request() {
    if (this.asked) return;
    this.asked = true;
    this.waiting = this.at;
    this.ask(this.at);
  }

  /** value: { error } or { bound } in millimeters, { confidence }, or null beside the skin. */
  answered(value) {
    this.asked = false;
    const { readout } = this.elements;
    readout.hidden = !value || !this.at;
    if (this.at && this.at !== this.waiting) this.request();
    if (readout.hidden) return;
    const box = this.canvas.getBoundingClientRect();
    readout.textContent = worded(value);
    const [x, y] = [this.at.clientX - box.left + 14, this.at.clientY - box.top + 16];
    readout.style.transform = `translate(${Math.min(x, box.width - readout.offsetWidth - 4)}px, ${Math.min(y, box.height - readout.offsetHeight - 4)}px)`;
  }

  leave() {
    this.at = null;
    this.elements.readout.hidden = true;
  }

  /** The server that was asked is gone. */
  forget() {
    this.asked = false;
    this.leave();
  }
}

function worded({ error, bound, confidence }) {
  if (error !== undefined) return `${millimeters(error)} from the other figure`;
  if (bound !== undefined) return `error below ${millimeters(bound)} in 95 of 100 poses`;
  return `confidence ${confidence.toFixed(2)}, of the whole pose`;
}

const millimeters = (length) => `${length < 0.1 ? length.toPrecision(2) : length.toFixed(length < 10 ? 2 : 1)} mm`;
