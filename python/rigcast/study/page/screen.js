// The size of faces in degrees of visual angle: pixels per millimeter by a bank card, and the distance of the eye.

import { element, show } from "./dom.js";

const CARD = [85.6, 53.98]; // millimeters, ISO/IEC 7810 ID-1
const GUESS = 96 / 25.4; // pixels per millimeter, as CSS has it
const LEAST = 1.5; // pixels per millimeter
const MOST = 12;

/** Ask for the card and the distance; resolves with {px_per_mm, distance_cm}. */
export function calibrate(settings, before) {
  return new Promise((done) => {
    const card = element("div", { className: "card", id: "card" });
    const range = element("input", { type: "range", id: "cardrange", className: "cardrange", min: LEAST, max: MOST, step: 0.01 });
    range.value = before?.px_per_mm ?? GUESS;
    range.setAttribute("aria-label", "width of the card");
    const distance = element("input", { type: "number", id: "distance", min: 20, max: 300, step: 1 });
    distance.value = before?.distance_cm ?? settings.distance;
    const resize = () => {
      card.style.width = `${CARD[0] * range.value}px`;
      card.style.height = `${CARD[1] * range.value}px`;
    };
    range.addEventListener("input", resize);
    resize();
    const go = element("button", {
      id: "go",
      textContent: "Continue",
      onclick: () => {
        const centimeters = Math.min(Math.max(Number(distance.value) || settings.distance, 20), 300);
        done({ px_per_mm: Number(range.value), distance_cm: centimeters });
      },
    });
    show(
      "text",
      element("h1", { textContent: "The size of your screen" }),
      element("p", { textContent: "Hold a bank card against the screen and move the slider until the gray card has the same size." }),
      card,
      range,
      element("label", { className: "row" }, "Distance from your eyes to the screen in centimeters", distance),
      element("p", { textContent: "Please keep this distance until the end." }),
      go,
    );
  });
}

/** Pixels of a picture's edge: as the visual angle says, or as many as fit. */
export function pictureEdge(settings, screen, faces, rows = 1) {
  const millimeters = 20 * screen.distance_cm * Math.tan((settings.picture_degrees * Math.PI) / 360);
  const wanted = millimeters * screen.px_per_mm;
  const across = (innerWidth - 32 - 24 * (faces - 1)) / faces;
  const down = (innerHeight - 290) / rows;
  return { edge: Math.max(Math.floor(Math.min(wanted, across, down)), 80), wanted };
}
