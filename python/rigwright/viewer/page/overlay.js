// Pins over the picture, in SVG: where a point is, where it should be, and the spring between them.

import { add, toView, transform } from "./math.js";

const NEAR = 2; // pixels: closer, a target counts as reached
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export class Overlay {
  constructor(svg, onClick) {
    this.svg = svg;
    this.onClick = onClick;
  }

  /** Pixels of a point of a figure. */
  project(camera, mesh, point) {
    const [x, y] = transform(camera.matrix, add(toView(mesh.about.up, point), mesh.offset));
    const { clientWidth, clientHeight } = this.svg;
    return [((x + 1) / 2) * clientWidth, ((1 - y) / 2) * clientHeight];
  }

  draw(camera, mesh, pins) {
    const shown = [];
    for (const { pin, at, target, grabbed } of pins) {
      const [a, b] = [this.project(camera, mesh, at), this.project(camera, mesh, target)];
      const far = Math.hypot(a[0] - b[0], a[1] - b[1]) > NEAR;
      if (far) {
        shown.push(element("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: "spring far" }));
        shown.push(element("circle", { cx: b[0], cy: b[1], r: 6, class: "target" }));
      }
      const dot = element("circle", { cx: a[0], cy: a[1], r: grabbed ? 5 : 6, class: grabbed ? "point" : "point held" });
      if (!grabbed) dot.addEventListener("pointerdown", (event) => this.onClick(pin, event));
      shown.push(dot);
    }
    this.svg.replaceChildren(...shown);
  }
}
