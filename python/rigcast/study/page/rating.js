// Rating: the neutral face on the left, the expression on the right, a scale from 1 to 9 without a mark at first.

import { drawn, element, show } from "./dom.js";
import { Loop, Turning, faceOf } from "./faces.js";
import { pictureEdge } from "./screen.js";

const MOST = 9;

export const question = "How different are the two faces?";
export const help = [
  "You will see two pictures of one face: on the left at rest, on the right with an expression that may be weak or strong.",
  "Say how different they are: click on the scale, or press a key from 1 to 9, and then press Enter or the button. There are no wrong answers.",
];

/** Show a trial; resolves with {answer, rt, edge}. */
export async function ask(trial, settings, screen) {
  const { edge } = pictureEdge(settings, screen, 2);
  const faces = [faceOf(trial.reference, edge, "face at rest", settings), faceOf(trial.options[0], edge, "face with an expression", settings)];
  const turning = new Turning(faces);
  const scale = new Scale();
  const submit = element("button", { id: "submit", textContent: "Submit", disabled: true });
  show(
    "trial",
    element("p", { textContent: settings.question || question }),
    element("div", { className: "faces" }, ...faces.map((face) => face.box)),
    element("div", { className: "answers" }, scale.box, element("div", { className: "ends" }, ...settings.ends.map((text) => element("span", { textContent: text }))), submit),
  );
  const onset = await drawn();
  const loop = new Loop(faces);
  return new Promise((done) => {
    const finish = (event) => {
      if (scale.value === null) return;
      removeEventListener("keydown", key);
      loop.stop();
      done({ answer: { rating: scale.value, turned: turning.largest }, rt: event.timeStamp - onset, edge });
    };
    const key = (event) => {
      if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      if (/^[1-9]$/.test(event.key)) scale.set(Number(event.key));
      else if (event.key === "ArrowRight") scale.set(Math.min((scale.value ?? 0) + 1, MOST));
      else if (event.key === "ArrowLeft") scale.set(Math.max((scale.value ?? MOST + 1) - 1, 1));
      else if (event.key === "Enter") finish(event);
      else return;
      event.preventDefault();
    };
    scale.changed = () => (submit.disabled = false);
    submit.addEventListener("click", finish);
    addEventListener("keydown", key);
  });
}

/** A scale of whole numbers; `value` is null until the first click. */
class Scale {
  constructor() {
    this.value = null;
    this.changed = () => {};
    this.thumb = element("span", { className: "thumb hidden" });
    const labels = Array.from({ length: MOST }, (_, i) => element("span", { textContent: i + 1 }));
    this.box = element("div", { className: "scale", id: "scale", role: "slider", tabIndex: 0 }, ...labels, this.thumb);
    this.box.setAttribute("aria-valuemin", 1);
    this.box.setAttribute("aria-valuemax", MOST);
    const take = (event) => {
      const { left, width } = this.box.getBoundingClientRect();
      this.set(Math.min(Math.max(Math.ceil(((event.clientX - left) / width) * MOST), 1), MOST));
    };
    this.box.addEventListener("pointerdown", (event) => {
      this.box.setPointerCapture(event.pointerId);
      take(event);
    });
    this.box.addEventListener("pointermove", (event) => event.buttons && take(event));
  }

  set(value) {
    this.value = value;
    this.thumb.classList.remove("hidden");
    this.thumb.style.left = `${((value - 0.5) / MOST) * 100}%`;
    this.box.setAttribute("aria-valuenow", value);
    this.changed();
  }
}
