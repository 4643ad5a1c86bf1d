// Ranking: several methods beside the truth; equal ranks are ties, and faces without a rank lie between.

import { drawn, element, show } from "./dom.js";
import { Loop, Turning, faceOf } from "./faces.js";
import { pictureEdge } from "./screen.js";

const LETTERS = "ABCDEFGHI";
const NARROWEST = 236; // pixels of a row of ranks
const GAP = 24; // between faces, as of .faces

export const question = "Which faces resemble the upper face most?";
export const help = [
  "You will see a face above, and several attempts to match it below. Give each attempt a rank: 1 is the best.",
  "Several may share a rank. It is enough to rank the best and the worst; those without a rank count as between them.",
];

/** Show a trial; resolves with {answer, rt, edge}. */
export async function ask(trial, settings, screen) {
  const count = trial.options.length;
  const fitting = Math.max(Math.floor((innerWidth - 32 + GAP) / (NARROWEST + GAP)), 1);
  const columns = Math.min(count, innerWidth > innerHeight ? 5 : 2, fitting);
  const rows = Math.ceil(count / columns) + 1;
  const size = pictureEdge(settings, screen, columns, rows);
  const edge = Math.max(Math.floor((size.edge * rows - 70 * (rows - 1) + 110) / rows), 80);
  const truth = faceOf(trial.reference, edge, "the face to match", settings);
  const faces = trial.options.map((stimulus, i) => faceOf(stimulus, edge, `attempt ${LETTERS[i]}`, settings));
  const turning = new Turning([truth, ...faces]);
  const attempts = element("div", { className: "faces many" }, ...faces.map((face) => face.box));
  attempts.style.maxWidth = `${columns * (Math.max(edge, NARROWEST) + GAP)}px`; // not more columns than were reckoned with
  const ranks = Array(count).fill(null);
  const submit = element("button", { id: "submit", textContent: "Submit", disabled: true });
  faces.forEach((face, place) => face.box.append(rankButtons(ranks, place, submit, edge)));
  show(
    "trial",
    element("p", { textContent: settings.question || question }),
    element("div", { className: "faces" }, truth.box),
    attempts,
    submit,
  );
  const onset = await drawn();
  const loop = new Loop([truth, ...faces]);
  return new Promise((done) => {
    submit.addEventListener("click", (event) => {
      loop.stop();
      done({ answer: { ranks: [...ranks], turned: turning.largest }, rt: event.timeStamp - onset, edge });
    });
  });
}

/** Buttons 1 to n of one face; the chosen one again takes the rank away. */
function rankButtons(ranks, place, submit, edge) {
  const buttons = ranks.map((_, i) =>
    element("button", { className: "rank", textContent: i + 1, ariaLabel: `attempt ${LETTERS[place]}: rank ${i + 1}` }),
  );
  buttons.forEach((button, i) =>
    button.addEventListener("click", () => {
      ranks[place] = ranks[place] === i + 1 ? null : i + 1;
      buttons.forEach((other, j) => other.classList.toggle("chosen", ranks[place] === j + 1));
      submit.disabled = ranks.filter((rank) => rank !== null).length < 2;
    }),
  );
  const line = element("div", { className: buttons.length > 4 ? "ranks tight" : "ranks" }, element("span", { textContent: LETTERS[place] }), ...buttons);
  line.style.width = `${Math.max(edge, NARROWEST)}px`;
  return line;
}
