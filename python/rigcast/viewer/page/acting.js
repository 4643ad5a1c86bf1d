// Labels of a synthesizer: a button for each, its seed, and the game.

import { Game } from "./game.js";

export class Acting {
  /** elements: { acting, requests, doing, seed, restart, board, said, newgame, score, moods, turns }. */
  constructor(elements, link) {
    this.elements = elements;
    this.link = link;
    const { board, said, newgame, score, moods, turns, seed, restart } = elements;
    this.game = new Game({ board, said, begin: newgame, score, moods, turns }, (label) => this.tell(label));
    restart.addEventListener("click", () => this.restart());
    seed.addEventListener("change", () => this.restart());
  }

  load({ labels, moods }) {
    this.elements.acting.hidden = labels.length === 0;
    document.body.classList.toggle("is-acting", labels.length > 0);
    this.buttons = labels.map((label) => {
      const button = Object.assign(document.createElement("button"), { textContent: label, title: `Idle at ${label}`, className: "toggle", ariaPressed: "false" });
      button.addEventListener("click", () => this.tell(label));
      return button;
    });
    this.elements.requests.replaceChildren(...this.buttons);
    this.game.load(moods);
  }

  tell(label) {
    this.link.send("tell", { label });
  }

  restart() {
    const { seed } = this.elements;
    if (!seed.checkValidity() || seed.value === "") return;
    this.link.send("restart", { seed: Number(seed.value) });
  }

  /** Shows where the character is and where it goes. */
  show(state) {
    if (!state) return;
    const { doing, seed } = this.elements;
    for (const button of this.buttons) button.ariaPressed = String(button.textContent === state.requested);
    const said = state.label === state.requested ? state.label : `${state.label}, on the way to ${state.requested}`;
    if (doing.textContent !== said) doing.textContent = said;
    if (document.activeElement !== seed) seed.value = state.seed;
  }
}
