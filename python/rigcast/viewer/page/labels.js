// Names above the figures, so that none covers another.

import { transform } from "./math.js";

const ABOVE = 26; // pixels
const GAP = 3;

export class Labels {
  constructor(root) {
    this.root = root;
  }

  load(names) {
    this.root.replaceChildren(...names.map((textContent) => Object.assign(document.createElement("span"), { textContent })));
  }

  /** boxes: of each figure, in the view's axes. */
  place(camera, boxes) {
    const { clientWidth, clientHeight } = this.root.parentElement;
    const taken = [];
    [...this.root.children].forEach((label, i) => {
      const [low, high] = boxes[i];
      const at = transform(camera.matrix, [(low[0] + high[0]) / 2, high[1], (low[2] + high[2]) / 2]);
      const [width, height] = [label.offsetWidth, label.offsetHeight];
      const inside = (x, size, room) => Math.max(4, Math.min(x, room - size - 4));
      const left = inside(((at[0] + 1) / 2) * clientWidth - width / 2, width, clientWidth);
      let top = inside(((1 - at[1]) / 2) * clientHeight - ABOVE, height, clientHeight);
      const covers = (other) => left < other.left + other.width + GAP && other.left < left + width + GAP && top < other.top + height + GAP && other.top < top + height + GAP;
      for (let other = taken.find(covers); other; other = taken.find(covers)) top = other.top + height + GAP;
      taken.push({ left, top, width });
      label.style.transform = `translate(${left}px, ${top}px)`;
    });
  }
}
