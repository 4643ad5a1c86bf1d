// Pins and handles over the picture, in SVG: where a point is, where it should be, and the spring between them.

import { add, toView, transform } from "./math.js";

const NEAR = 2; // pixels: closer, a target counts as reached
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Shapes of handles around their place: a box for ends, a diamond for poles, a ring for the torso, a dot for points.
const SHAPES = {
  end: () => element("rect", { x: -7, y: -7, width: 14, height: 14, rx: 2.5 }),
  pole: () => element("path", { d: "M0 -7 L7 0 L0 7 L-7 0 Z" }),
  torso: () => element("ellipse", { rx: 22, ry: 8 }),
  point: () => element("circle", { r: 3.5 }),
};

export class Overlay {
  /** onPin(pin, event), onHandle(number, event, place): what was pressed. */
  constructor(svg, onPin, onHandle) {
    this.svg = svg;
    this.onPin = onPin;
    this.onHandle = onHandle;
    this.showsHandles = true;
  }

  /** Of another character, nothing that is drawn holds. */
  clear() {
    this.svg.replaceChildren();
  }

  /** Pixels of a point of a figure. */
  project(camera, mesh, point) {
    const [x, y] = transform(camera.matrix, add(toView(mesh.about.up, point), mesh.offset));
    const { clientWidth, clientHeight } = this.svg;
    return [((x + 1) / 2) * clientWidth, ((1 - y) / 2) * clientHeight];
  }

  draw(camera, mesh, { pins, handles }) {
    const place = (point) => this.project(camera, mesh, point);
    const shown = this.showsHandles ? this.handles(handles, place) : [];
    for (const { pin, at, target, grabbed } of pins) {
      const [a, b] = [place(at), place(target)];
      shown.push(...spring(a, b));
      const dot = element("circle", { cx: a[0], cy: a[1], r: grabbed ? 5 : 6, class: grabbed ? "point" : "point held" });
      if (!grabbed) dot.addEventListener("pointerdown", (event) => this.onPin(pin, event));
      shown.push(dot);
    }
    this.svg.replaceChildren(...shown);
  }

  handles(handles, place) {
    const lines = [];
    const shapes = [];
    handles.forEach((handle, number) => {
      const at = place(handle.at);
      if (handle.tie) {
        const [x, y] = place(handle.tie);
        lines.push(element("line", { x1: x, y1: y, x2: at[0], y2: at[1], class: `tie ${handle.side ?? "middle"}` }));
      }
      if (handle.target && handle.kind !== "pole") lines.push(...spring(at, place(handle.target)));
      const shape = SHAPES[handle.kind]();
      shape.setAttribute("class", `handle ${handle.kind} ${handle.side ?? "middle"}${handle.target ? " gripped" : ""}`);
      shape.setAttribute("transform", `translate(${at[0]} ${at[1]})`);
      shape.addEventListener("pointerdown", (event) => this.onHandle(number, event, at));
      const title = document.createElementNS(SVG, "title");
      title.textContent = handle.name;
      shape.append(title);
      shapes.push(shape);
    });
    return [...lines, ...shapes];
  }
}

/** The line from a point to a target that it does not reach, and a ring around the target. */
function spring(a, b) {
  if (Math.hypot(a[0] - b[0], a[1] - b[1]) <= NEAR) return [];
  return [element("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: "spring far" }), element("circle", { cx: b[0], cy: b[1], r: 6, class: "target" })];
}
