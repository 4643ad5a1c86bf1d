// Answers that are not lost: each is written into the browser's storage under its own key before it is sent, and stays
// there until the server says that it is stored. Keys hold study, build and session; the id is made here.

const PATIENCE = 4000; // milliseconds that an answer of the server is waited for
const PAUSES = [150, 300, 600, 1200, 2000]; // between attempts

/** A name that nobody else has; crypto.randomUUID is missing on plain HTTP. */
export function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A key of the storage, which belongs to one study, build and session. */
export function keyOf(about, session, name) {
  return ["rigcast-study", about.study, about.build, session, name].join("/");
}

/** POST a value as JSON: {status, content}; status 0 if there was no answer. */
export async function post(path, value) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), PATIENCE);
  try {
    const options = { method: "POST", body: JSON.stringify(value), signal: abort.signal, cache: "no-store" };
    const response = await fetch(path, options);
    return { status: response.status, content: await response.json() };
  } catch {
    return { status: 0, content: {} };
  } finally {
    clearTimeout(timer);
  }
}

/** Keys of the storage; none where a browser forbids it. */
function storedKeys() {
  try {
    return Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? "");
  } catch {
    return [];
  }
}

export class Queue {
  /** `changed(waiting, reachable)` is called whenever an answer comes or goes. */
  constructor(about, session, changed) {
    this.prefix = keyOf(about, session, "answer/");
    this.refusedPrefix = keyOf(about, session, "refused/");
    this.changed = changed;
    this.memory = new Map(); // where the storage is full or forbidden
    this.running = false;
    this.isKept = true;
  }

  /** Keep an answer and begin to send it. */
  put(answer) {
    const key = `${this.prefix}${String(answer.count).padStart(6, "0")}-${answer.id}`;
    const text = JSON.stringify(answer);
    try {
      localStorage.setItem(key, text);
    } catch {
      this.memory.set(key, text);
      this.isKept = false;
    }
    this.send();
  }

  /** Keys of what waits, oldest first. */
  waiting() {
    const stored = storedKeys().filter((key) => key.startsWith(this.prefix));
    return [...stored, ...this.memory.keys()].sort();
  }

  /** Names of trials whose answers wait. */
  trials() {
    return this.waiting().map((key) => JSON.parse(this.read(key)).trial);
  }

  read(key) {
    return this.memory.get(key) ?? localStorage.getItem(key) ?? "{}";
  }

  remove(key) {
    if (!this.memory.delete(key)) localStorage.removeItem(key);
  }

  /** Lay an answer that the server does not understand aside: never thrown away, and never sent for ever. */
  setAside(key, answer) {
    try {
      localStorage.setItem(this.refusedPrefix + answer.id, this.read(key));
    } catch {
      console.error("an answer was refused", answer);
    }
    this.remove(key);
  }

  /** Send what waits, one at a time in order, until nothing does. */
  async send() {
    if (this.running) return;
    this.running = true;
    for (let failures = 0; ; ) {
      const [key] = this.waiting();
      this.changed(this.waiting().length, failures === 0, this.isKept);
      if (key === undefined) break;
      const answer = JSON.parse(this.read(key));
      const { status, content } = await post("answers", answer);
      if (status === 200 && content.stored === answer.id) {
        this.remove(key);
        failures = 0;
      } else if (status === 400 || status === 413) {
        this.setAside(key, answer);
      } else {
        await new Promise((done) => setTimeout(done, PAUSES[Math.min(failures, PAUSES.length - 1)]));
        failures += 1;
      }
    }
    this.running = false;
  }
}
