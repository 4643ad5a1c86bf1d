// Progress of a study, looked at every two seconds.

import { element } from "./dom.js";

const token = new URLSearchParams(location.search).get("token") ?? "";
const at = (path) => `admin/${path}?token=${encodeURIComponent(token)}`;
const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
const by = (id) => document.getElementById(id);

function ago(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`;
}

function row(session) {
  const whole = session.answered >= session.of;
  const bar = element("progress", { max: session.of, value: session.answered });
  const note = session.this_build ? (whole ? "finished" : session.here ? "here" : "left") : "older build";
  const cells = [session.number, session.facts.participant || "", `${session.answered} of ${session.of}`, bar, ago(session.seconds_ago), note];
  return element("tr", {}, ...cells.map((cell) => element("td", {}, cell instanceof Node ? cell : String(cell))));
}

function show(study) {
  document.title = by("name").textContent = study.name;
  const finished = study.sessions.filter((session) => session.this_build && session.answered >= session.of).length;
  const second = study.second_answers ? `, ${counted(study.second_answers, "second answer")} kept beside` : "";
  by("summary").textContent = `${study.protocol}: ${counted(study.sessions.length, "participant")}, ${finished} finished, ${counted(study.answers, "answer")}${second}.`;
  by("rows").replaceChildren(...study.sessions.map(row));
}

async function look() {
  try {
    const response = await fetch(at("progress"), { cache: "no-store" });
    if (!response.ok) throw new Error(response.statusText);
    show(await response.json());
    by("state").textContent = "";
  } catch {
    by("state").textContent = "The server cannot be reached; trying again.";
  }
  setTimeout(look, 2000);
}

by("csv").href = at("answers.csv");
by("npz").href = at("answers.npz");
look();
