// A participant's way through a study: consent, size of the screen, training, trials, thanks. A page that is loaded
// again goes on where it was; the server's list of answered trials decides.

import * as choice from "./choice.js";
import { element, pause, screen, show } from "./dom.js";
import { namesOf, preload } from "./faces.js";
import { Queue, freshId, keyOf, post } from "./queue.js";
import * as ranking from "./ranking.js";
import * as rating from "./rating.js";
import { calibrate } from "./screen.js";

const protocols = { rating, choice, ranking };
const load = freshId(); // of this page: its clock begins anew with each
const state = document.getElementById("state");
const given = new URLSearchParams(location.search).get("participant");

async function until(path, value) {
  for (let wait = 200; ; wait = Math.min(2 * wait, 3000)) {
    const reply = await post(path, value);
    if (reply.status !== 0 && reply.status !== 503) return reply;
    state.textContent = "The study cannot be reached; trying again.";
    await pause(wait / 1000);
  }
}

async function about() {
  for (let wait = 200; ; wait = Math.min(2 * wait, 3000)) {
    try {
      const response = await fetch("about", { cache: "no-store" });
      if (response.ok) return response.json();
    } catch {
      state.textContent = "The study cannot be reached; trying again.";
    }
    await pause(wait / 1000);
  }
}

const remembered = (about) => keyOf(about, "page", `session${given ? `/${given}` : ""}`);

/** What this browser knows of a session that has begun; null if there is none. */
function begun(about) {
  try {
    return JSON.parse(localStorage.getItem(remembered(about)) ?? "null");
  } catch {
    return null;
  }
}

function remember(about, session) {
  try {
    localStorage.setItem(remembered(about), JSON.stringify(session));
  } catch {
    // a browser that keeps nothing: a page that is loaded again begins anew
  }
}

/** Consent and questions; resolves with what was told. */
function consent(about) {
  return new Promise((done) => {
    const { settings } = about;
    const agreed = element("input", { type: "checkbox", id: "agreed" });
    const code = element("input", { type: "text", id: "participant", value: given ?? "", maxLength: 64, autocomplete: "off" });
    code.readOnly = given !== null;
    const asked = settings.questions.map((question) => {
      const options = ["", ...question.choices].map((text) => element("option", { value: text, textContent: text || "Please choose" }));
      return { name: question.name, text: question.text, select: element("select", {}, ...options) };
    });
    const go = element("button", { id: "go", textContent: "Begin", disabled: true });
    const check = () => (go.disabled = !agreed.checked || asked.some(({ select }) => !select.value));
    for (const input of [agreed, ...asked.map(({ select }) => select)]) input.addEventListener("change", check);
    go.addEventListener("click", () => {
      const told = Object.fromEntries(asked.map(({ name, select }) => [name, select.value]));
      done({ participant: code.value.replace(/[^A-Za-z0-9_.-]/g, "").slice(0, 64), ...told });
    });
    show(
      "text",
      element("h1", { textContent: about.name }),
      ...settings.consent.split("\n").map((text) => element("p", { textContent: text })),
      element("label", { className: "row" }, agreed, "I have read this and agree to take part."),
      element("label", { className: "row" }, "Code, if you were given one", code),
      ...asked.map(({ text, select }) => element("label", { className: "row" }, text, select)),
      go,
    );
  });
}

async function begin(about) {
  const facts = await consent(about);
  const size = await calibrate(about.settings);
  const session = { session: freshId(), size, count: 0, trained: false, facts };
  remember(about, session);
  return session;
}

/** Sign up or come back; null if the session has ended or the study has changed. */
async function signUp(about, session) {
  const facts = { ...session.facts, ...session.size, width: innerWidth, height: innerHeight, ratio: devicePixelRatio };
  const own = { study: about.study, build: about.build, session: session.session, facts };
  const { status, content } = await until("session", own);
  if (status === 200) return content;
  if (status !== 409 && status !== 410) {
    show("text", element("h1", { textContent: "This page cannot go on" }), element("p", { textContent: content.error ?? "" }));
    return new Promise(() => {});
  }
  if (status === 410) localStorage.removeItem(remembered(about));
  return null;
}

function sending(waiting, reachable, isKept) {
  const kept = isKept ? "they are safe in this browser" : "please keep this page open";
  state.textContent = reachable || waiting === 0 ? "" : `${waiting} answers wait for the study to be reached: ${kept}.`;
}

async function train(about, session, course, ask) {
  if (session.trained || course.training.length === 0) return;
  const first = "First a few trials to practise, which are not stored.";
  const live = course.training.some((trial) => trial.options.some(({ faces }) => faces));
  const turned = live ? ["Drag a face sideways to turn it; the others turn with it."] : [];
  await screen("Practice", [...protocols[about.protocol].help, ...turned, first], "Start the practice");
  for (const trial of course.training) {
    await preload(namesOf(trial));
    await ask(trial);
  }
  session.trained = true;
  remember(about, session);
}

async function run() {
  const told = await about();
  document.title = told.name;
  const before = begun(told);
  const session = before ?? (await begin(told));
  const course = await signUp(told, session);
  if (course === null) return run();
  state.textContent = "";
  const queue = new Queue(told, session.session, sending);
  queue.send();
  const { settings } = told;
  const ask = async (trial) => {
    show("trial", element("div", { className: "cross", id: "cross" }));
    await pause(settings.fixation);
    return protocols[told.protocol].ask(trial, settings, session.size);
  };
  await train(told, session, course, ask);
  const answered = new Set([...course.answered, ...queue.trials()]);
  const left = course.trials.filter((trial) => !answered.has(trial.trial));
  if (left.length > 0) await greet(told, before, answered.size, course.trials.length);
  let block = left[0]?.block;
  for (const [i, trial] of left.entries()) {
    if (trial.block !== block) await screen("Pause", ["Please rest your eyes for a moment."], "Continue");
    block = trial.block;
    await preload(namesOf(trial));
    if (left[i + 1]) preload(namesOf(left[i + 1]));
    const { answer, rt, edge } = await ask(trial);
    session.count += 1;
    remember(told, session);
    const own = { study: told.study, build: told.build, session: session.session, trial: trial.trial };
    const times = { rt, wall: Date.now(), mono: performance.now(), load };
    queue.put({ id: freshId(), ...own, position: trial.position, count: session.count, answer, edge, ...times });
  }
  return end(told, queue);
}

function greet(about, before, done, count) {
  if (before === null || done === 0) {
    return screen("Now it counts", [`There are ${count} trials. You may rest whenever a cross is not shown.`], "Start");
  }
  const other = element("button", {
    className: "plain",
    id: "other",
    textContent: "I am somebody else",
    onclick: () => {
      localStorage.removeItem(remembered(about));
      location.reload();
    },
  });
  return screen("Welcome back", [`You have answered ${done} of ${count} trials; they are kept.`], "Go on", other);
}

async function end(about, queue) {
  while (queue.waiting().length > 0) {
    show("text", element("h1", { textContent: "Almost done" }), element("p", { textContent: "Please keep this page open: your last answers are being sent." }));
    queue.send();
    await pause(0.3);
  }
  show(
    "text",
    element("h1", { textContent: "Thank you" }),
    element("p", { id: "done", textContent: "All of your answers have arrived. You may close this page." }),
    element("button", {
      id: "next",
      className: "plain",
      textContent: "Next participant",
      onclick: () => {
        localStorage.removeItem(remembered(about));
        location.reload();
      },
    }),
  );
}

/** Say why a page cannot go on; what was answered is kept. */
function stopped(error) {
  show("text", element("h1", { textContent: "This page cannot go on" }), element("p", { textContent: String(error?.message ?? error) }));
}

run().catch(stopped);
