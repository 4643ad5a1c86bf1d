// A study that rigcast exported, as a timeline of jsPsych 8. Each answer is one row with rigcast = "answer", which
// `rigcast study export --from` reads back; `answer` is JSON.

import { initJsPsych } from "jspsych";
import buttons from "@jspsych/plugin-html-button-response";
import keyboard from "@jspsych/plugin-html-keyboard-response";

const faces = (files) => `<div class="rigcast-faces">${files.map((file) => `<img src="${file}">`).join("")}</div>`;

const questions = {
  rating: "How different are the two faces?",
  choice: "Which face resembles the middle face most?",
  ranking: "Which faces resemble the upper face most?",
};

/** Trials of jsPsych for one of ours; `own` are the columns of its answer. */
function trialsOf(study, trial, own) {
  const { settings } = study;
  const ask = `<p>${settings.question || questions[study.protocol]}</p>`;
  const fixation = { type: keyboard, stimulus: "+", choices: "NO_KEYS", trial_duration: 1000 * settings.fixation };
  const answered = (values) => (data) => Object.assign(data, own, { answer: JSON.stringify(values(data)) });
  if (study.protocol === "rating") {
    const choices = Array.from({ length: 9 }, (_, i) => String(i + 1));
    const ends = `<p>1: ${settings.ends[0]} &emsp; 9: ${settings.ends[1]}</p>`;
    const on_finish = answered((data) => ({ rating: data.response + 1 }));
    return [fixation, { type: buttons, stimulus: ask + faces([trial.reference, trial.options[0]]), choices, prompt: ends, on_finish }];
  }
  if (study.protocol === "choice") return [fixation, ...choiceTrials(settings, trial, ask, answered)];
  const letters = trial.options.map((_, i) => String.fromCharCode(65 + i));
  const pictures = faces([trial.reference]) + faces(trial.options);
  let best = 0;
  const ranks = (worst) => letters.map((_, i) => (i === best ? 1 : i === worst ? letters.length : null));
  return [
    fixation,
    { type: buttons, stimulus: `<p>The best match?</p>${pictures}`, choices: letters, on_finish: (data) => (best = data.response) },
    {
      type: buttons,
      stimulus: `<p>The worst match?</p>${pictures}`,
      choices: () => letters.filter((_, i) => i !== best),
      on_finish: answered((data) => ({ ranks: ranks(letters.filter((_, i) => i !== best).map((letter) => letters.indexOf(letter))[data.response]) })),
    },
  ];
}

function choiceTrials(settings, trial, ask, answered) {
  const choices = ["left", "right"];
  let chosen = { side: null, rt: 0, forced: false };
  const first = {
    type: buttons,
    stimulus: ask + faces([trial.options[0], trial.reference, trial.options[1]]),
    choices,
    trial_duration: 1000 * settings.limit,
    on_finish: (data) => (chosen = { side: data.response, rt: data.rt, forced: data.response === null }),
  };
  const forced = {
    timeline: [{ type: buttons, stimulus: "<p>Please answer now: left or right?</p>", choices, on_finish: (data) => Object.assign(chosen, { side: data.response, rt: 1000 * settings.limit + data.rt }) }],
    conditional_function: () => chosen.forced,
  };
  const similar = {
    type: buttons,
    stimulus: `<p>How similar is it to the middle face?</p><p>1: Not at all &emsp; 5: Identical</p>`,
    choices: ["1", "2", "3", "4", "5"],
    on_finish: (data) => {
      const values = () => ({ side: choices[chosen.side], forced: chosen.forced, similarity: data.response + 1, turned: 0 });
      answered(values)(data);
      data.rt = chosen.rt;
    },
  };
  return [first, forced, similar];
}

/** The timeline of a course. */
export function timelineOf(study, order, person) {
  const text = (words, label) => ({ type: buttons, stimulus: words.split("\n").map((line) => `<p>${line}</p>`).join(""), choices: [label] });
  const own = { study: study.study, build: study.build, order, person };
  const row = (trial) => ({ rigcast: "answer", ...own, trial: trial.trial, position: trial.position });
  const practice = study.training.flatMap((trial) => trialsOf(study, trial, { rigcast: "practice" }));
  const trials = study.orders[order - 1].flatMap((trial) => trialsOf(study, trial, row(trial)));
  return [text(study.settings.consent, "I agree"), ...(practice.length ? [text("First a few trials to practise.", "Start"), ...practice] : []), text("Now it counts.", "Start"), ...trials];
}

/** Run the study; `simulated` is a mode of jsPsych.simulate, for tests. Resolves with the data. */
export async function run(simulated) {
  const study = await (await fetch("trials.json")).json();
  const parameters = new URLSearchParams(location.search);
  const order = Number(parameters.get("order")) || 1 + Math.floor(Math.random() * study.orders.length);
  const person = parameters.get("participant") ?? Math.random().toString(36).slice(2, 10);
  const jsPsych = initJsPsych({ on_finish: () => simulated || jsPsych.data.get().localSave("json", `${study.name}-${person}.json`) });
  const timeline = timelineOf(study, ((order - 1) % study.orders.length) + 1, person);
  await (simulated ? jsPsych.simulate(timeline, simulated) : jsPsych.run(timeline));
  return jsPsych.data.get().json();
}
