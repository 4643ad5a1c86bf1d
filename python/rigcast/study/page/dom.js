// Elements, texts, and waiting.

/** An element with properties, classes and children. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Show children in place of everything; `kind` is the class of the stage. */
export function show(kind, ...children) {
  const stage = document.getElementById("stage");
  stage.className = kind;
  stage.replaceChildren(...children);
}

/** The timestamp of the frame in which what was just shown is drawn. */
export function drawn() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

export function pause(seconds) {
  return new Promise((done) => setTimeout(done, 1000 * seconds));
}

/** A screen of text with one button; resolves with the event. */
export function screen(title, paragraphs, label, ...more) {
  return new Promise((done) => {
    const go = element("button", { id: "go", textContent: label, onclick: done });
    show("text", element("h1", { textContent: title }), ...paragraphs.map((text) => element("p", { textContent: text })), ...more, go);
    go.focus({ preventScroll: true });
  });
}
