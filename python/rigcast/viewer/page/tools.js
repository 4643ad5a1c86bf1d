// The bar: toggles, lists, shortcuts, the drawer of sliders, and the list of all of this.

import { download } from "./save.js";
import { Theme } from "./theme.js";

const SIDES = { 0: "oblique", 1: "front", 3: "side", 7: "above" }; // by key
const KEYS = { w: "wire", s: "flat", g: "ground", h: "handles", b: "bones", x: "xray", f: "frame", v: "video", k: "key", p: "drawer", t: "theme", "?": "ask", " ": "play" };
const NARROW = "(max-width: 700px)"; // as in style.css
const WORDS = {
  ...{ plain: "skin", material: "materials", error: "error", confidence: "confidence", bound: "error bound" },
  ...{ npz: ".npz poses", bvh: ".bvh motion", glb: ".glb", blend: ".blend", "": "format ..." },
};

const $ = (id) => document.getElementById(id);
export const isPressed = (id) => $(id).getAttribute("aria-pressed") === "true";

/** Turns a toggle over; returns whether it is on now. */
function press(id, on = !isPressed(id)) {
  $(id).setAttribute("aria-pressed", String(on));
  return on;
}

export class Tools {
  constructor(view) {
    this.view = view;
    const narrow = matchMedia(NARROW);
    this.openDrawer(!narrow.matches);
    narrow.addEventListener("change", () => this.openDrawer(!narrow.matches));
    this.theme = new Theme($("theme"), () => view.recolored());
    this.connect();
    addEventListener("keydown", (event) => this.shortcut(event));
  }

  /** Fills the lists of what a scene offers. Whether bones are shown, its first frame says. */
  load(scene) {
    this.isNew = true;
    this.choices("color", scene.colors);
    this.choices("export", ["", ...scene.exports]);
    $("bones").hidden = !scene.bones;
    $("refit").hidden = !scene.corrects;
    $("movie").disabled = !scene.movie;
    if (!scene.movie) $("movie").title = "A movie needs ffmpeg on the PATH of the server; Sequence saves the pictures without it";
    document.body.classList.toggle("has-handles", scene.handles);
  }

  choices(id, values) {
    $(id).replaceChildren(...values.map((value) => new Option(WORDS[value], value)));
  }

  show(frame) {
    $("undo").disabled = !frame.undo;
    $("redo").disabled = !frame.redo;
    if (document.activeElement !== $("color")) $("color").value = frame.color;
    if (this.isNew) press("bones", Boolean(frame.bones));
    this.isNew = false;
  }

  openDrawer(open) {
    document.body.classList.toggle("has-drawer", open);
    press("drawer", open);
  }

  connect() {
    const { view } = this;
    const click = (id, action) => $(id).addEventListener("click", action);
    for (const [id, option] of [["wire", "edges"], ["flat", "flat"], ["ground", "ground"], ["xray", "xray"]]) {
      click(id, () => {
        view.renderer.options[option] = press(id);
        view.redraw();
      });
    }
    click("handles", () => {
      view.overlay.showsHandles = press("handles");
      view.redraw();
    });
    click("bones", () => view.link.send("bones", { shown: press("bones") }));
    click("video", () => {
      press("video");
      view.showFootage(view.frame?.timeline.picture);
    });
    click("frame", () => view.fit());
    click("ask", () => ($("help").open ? $("help").close() : $("help").showModal()));
    click("drawer", () => this.openDrawer(!isPressed("drawer")));
    for (const id of ["undo", "redo"]) click(id, () => view.link.send(id));
    click("refit", () => {
      view.notice("fitting the actor's shapes, and solving the shot again ...");
      view.link.send("refit");
    });
    click("reset", () => view.link.send("reset", { channels: view.scene.sliders.map((_, i) => i) }));
    click("fromleft", () => view.link.send("mirror", { from: "left" }));
    click("fromright", () => view.link.send("mirror", { from: "right" }));
    click("picture", async () => download(`${view.fileName()}.png`, await view.picture()));
    click("sequence", () => view.film.sequence());
    click("movie", () => view.film.movie());
    $("color").addEventListener("change", () => {
      view.link.send("color", { mode: $("color").value });
      $("color").blur();
    });
    $("export").addEventListener("change", () => {
      if ($("export").value) view.link.send("export", { format: $("export").value });
      $("export").value = "";
    });
  }

  shortcut(event) {
    if (event.target.matches("input, select")) return;
    const letter = event.key.toLowerCase();
    const commanded = event.ctrlKey || event.metaKey;
    if (SIDES[letter] && !commanded) this.view.lookFrom(SIDES[letter]);
    const id = commanded ? { z: event.shiftKey ? "redo" : "undo", y: "redo" }[letter] : KEYS[letter];
    if (!id || event.altKey) return;
    event.preventDefault();
    $(id).click();
  }
}
