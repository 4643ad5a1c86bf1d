// Forced choice: the truth in the middle, two methods beside it, ten seconds, then how similar the chosen one is.

import { drawn, element, show } from "./dom.js";
import { Loop, Turning, faceOf } from "./faces.js";
import { pictureEdge } from "./screen.js";

const KEYS = { s: "left", f: "right" };

export const question = "Which face resembles the middle face most?";
export const help = [
  "You will see three faces. Say which of the outer ones resembles the middle one most: press S for the left one, F for the right one, or click on it. The left and right arrow keys turn all three.",
  "The faces go away after a while; then please answer all the same. Afterwards say how similar the chosen face is, from 1 to 5.",
];

/** Show a trial; resolves with {answer, rt, edge}. */
export async function ask(trial, settings, screen) {
  const { edge } = pictureEdge(settings, screen, 3);
  const [left, right] = trial.options;
  const faces = [left, trial.reference, right].map((stimulus, i) => faceOf(stimulus, edge, ["left", "middle", "right"][i], settings));
  const row = element("div", { className: "faces" }, ...faces.map((face) => face.box));
  const buttons = ["left", "right"].map((side) => element("button", { id: side, textContent: side === "left" ? "S  left" : "F  right" }));
  const prompt = element("p", { id: "prompt", textContent: settings.question || question });
  show("trial", prompt, row, element("div", { className: "answers" }, element("div", { className: "line" }, ...buttons)));
  const onset = await drawn();
  const loop = new Loop(faces);
  const chosen = await choose(faces, row, buttons, prompt, settings, onset);
  loop.stop();
  const similarity = await rate(row, prompt);
  return { answer: { ...chosen.answer, similarity }, rt: chosen.rt, edge };
}

function choose(faces, row, buttons, prompt, settings, onset) {
  return new Promise((done) => {
    let forced = false;
    const turning = new Turning(faces);
    const timer = setTimeout(() => {
      forced = true;
      row.classList.add("hidden");
      prompt.textContent = "Please answer now: left (S) or right (F)?";
    }, 1000 * settings.limit);
    const finish = (side, event) => {
      clearTimeout(timer);
      removeEventListener("keydown", key);
      done({ answer: { side, forced, turned: turning.largest }, rt: event.timeStamp - onset });
    };
    const key = (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const side = KEYS[event.key.toLowerCase()];
      if (side && !event.repeat) finish(side, event);
      else if (event.key === "ArrowLeft") turning.by(-settings.turn_step);
      else if (event.key === "ArrowRight") turning.by(settings.turn_step);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    for (const [face, side] of [[faces[0], "left"], [faces[2], "right"]]) face.surface.addEventListener("click", (event) => turning.dragged || finish(side, event));
    for (const button of buttons) button.addEventListener("click", (event) => finish(button.id, event));
  });
}

/** How similar the chosen face is, from 1 to 5. */
function rate(row, prompt) {
  return new Promise((done) => {
    row.classList.remove("hidden");
    prompt.textContent = "How similar is it to the middle face?";
    const finish = (value) => {
      removeEventListener("keydown", key);
      done(value);
    };
    const key = (event) => /^[1-5]$/.test(event.key) && !event.repeat && finish(Number(event.key));
    addEventListener("keydown", key);
    const buttons = Array.from({ length: 5 }, (_, i) => element("button", { className: "similar", textContent: i + 1, onclick: () => finish(i + 1) }));
    const ends = [element("span", { textContent: "Not at all" }), element("span", { textContent: "Identical" })];
    const scale = element("div", { className: "narrow" }, element("div", { className: "line" }, ...buttons), element("div", { className: "ends" }, ...ends));
    document.querySelector(".answers").replaceChildren(scale);
  });
}
