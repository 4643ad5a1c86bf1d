// Light or dark: as the system says until it is chosen here; colors of the style sheet for what is drawn.

const KEPT = "rigcast-theme";

/** Reads what was chosen before; a page in a frame without storage has nothing. */
function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export class Theme {
  /** onChange(): colors are others now. */
  constructor(button, onChange) {
    this.button = button;
    this.onChange = onChange;
    this.chosen = kept();
    this.system = matchMedia("(prefers-color-scheme: light)");
    this.system.addEventListener("change", () => this.show());
    button.addEventListener("click", () => this.choose(this.name === "light" ? "dark" : "light"));
    this.show();
  }

  get name() {
    if (this.chosen === "light" || this.chosen === "dark") return this.chosen;
    return this.system.matches ? "light" : "dark";
  }

  choose(name) {
    this.chosen = name;
    try {
      localStorage.setItem(KEPT, name);
    } catch {
      // the choice lasts as long as the page
    }
    this.show();
  }

  show() {
    document.documentElement.dataset.theme = this.name;
    this.button.textContent = this.name === "light" ? "Dark" : "Light";
    this.onChange();
  }
}

/** A color of the style sheet. */
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
