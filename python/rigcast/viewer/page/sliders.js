// Channels by body part: a range and a number each.

const DIGITS = { degrees: 1, "": 3, rig: 4 };

function made(name, attributes = {}, text = "") {
  const element = Object.assign(document.createElement(name), attributes);
  if (text) element.textContent = text;
  return element;
}

/** Never "-0.0". */
const rounded = (number, unit) => number.toFixed(DIGITS[unit] ?? 3).replace(/^-(?=[0.]*$)/, "");

export class Sliders {
  /** elements: { sliders, search, nothing }, the last for a search that finds nothing. */
  constructor({ sliders, search, nothing }, link) {
    this.root = sliders;
    this.search = search;
    this.nothing = nothing;
    this.link = link;
    this.rows = [];
    search.addEventListener("input", () => this.filter(search.value));
  }

  load(sliders, groups) {
    this.rows = [];
    this.root.replaceChildren();
    groups.forEach((group, number) => {
      const inside = sliders.map((slider, channel) => ({ ...slider, channel })).filter((slider) => slider.group === group);
      const details = made("details", { open: number === 0 || sliders.length <= 60 });
      const summary = made("summary", {}, group);
      summary.append(made("span", { className: "count" }, String(inside.length)));
      details.append(summary, ...inside.map((slider) => this.row(slider, details)));
      this.root.append(details);
    });
    this.filter(this.search.value);
  }

  row(slider, details) {
    const row = made("div", { className: "row" });
    const name = made("span", { className: "name", title: `${slider.name}: ${slider.low} to ${slider.high} ${slider.unit}. Double click: rest.` }, slider.name);
    const limits = { min: slider.low, max: slider.high };
    const range = made("input", { type: "range", className: "range", step: "any", ...limits });
    const value = made("input", { type: "number", className: "value", step: "any", ...limits });
    range.setAttribute("aria-label", slider.name);
    value.setAttribute("aria-label", `${slider.name}, as a number`);
    row.append(name, value, range);
    const entry = { slider, row, range, value, details };
    range.addEventListener("input", () => this.send(entry, Number(range.value), false));
    range.addEventListener("change", () => this.send(entry, Number(range.value), true));
    value.addEventListener("change", () => this.send(entry, Number(value.value), true));
    for (const part of [name, range]) {
      part.addEventListener("dblclick", () => this.link.send("reset", { channels: [slider.channel] }));
    }
    this.rows.push(entry);
    return row;
  }

  send({ slider }, value, done) {
    if (!Number.isFinite(value)) return;
    const within = Math.min(slider.high, Math.max(slider.low, value));
    this.link.send("set", { channel: slider.channel, value: within, done });
  }

  /** Shows the channels of a frame; what a hand is on is left alone. */
  show(row) {
    for (const entry of this.rows) {
      const { slider, row: line, range, value } = entry;
      const now = row[slider.channel];
      if (now === entry.shown) continue; // most rest while one is dragged
      entry.shown = range.matches(":active") || document.activeElement === value ? undefined : now;
      const extent = slider.high - slider.low || 1;
      line.classList.toggle("moved", Math.abs(now - slider.rest) > 5e-4 * extent);
      const [from, to] = [slider.rest, now].sort((a, b) => a - b).map((x) => `${(100 * (x - slider.low)) / extent}%`);
      range.style.setProperty("--from", from);
      range.style.setProperty("--to", to);
      if (!range.matches(":active")) range.value = now;
      if (document.activeElement !== value) value.value = rounded(now, slider.unit);
    }
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const seen = new Map();
    for (const { slider, row, details } of this.rows) {
      const fits = words.every((word) => `${slider.name} ${slider.group}`.toLowerCase().includes(word));
      row.hidden = !fits;
      seen.set(details, seen.get(details) || fits);
    }
    for (const [details, any] of seen) {
      details.hidden = !any;
      if (words.length && any) details.open = true;
    }
    this.nothing.hidden = this.rows.length > 0 && [...seen.values()].some(Boolean);
    this.nothing.textContent = this.rows.length ? `No channel and no body part has "${text.trim()}" in its name.` : "This character has no channels.";
  }
}
