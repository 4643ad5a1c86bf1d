// Takes part in a study by itself: agrees, continues, and answers what it sees. `window.rigcastPilot` says how.
(() => {
  const pilot = window.rigcastPilot;
  const name = (face) => face.dataset.shown ?? face.src.split("/").pop().split("?")[0];
  const sum = (text) => [...text].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  let last = null;
  const step = () => {
    const images = [...document.querySelectorAll(".face img, .face canvas")];
    const first = document.querySelector(".face");
    if (document.getElementById("agreed")) document.getElementById("agreed").click();
    const go = document.getElementById("go");
    if (go && !go.disabled) go.click();
    else if (document.getElementById("scale") && first !== last && !pilot.waits) {
      last = first;
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => {
        press(String(1 + (sum(name(images[1])) % 9)));
        press("Enter");
      })));
    } else if (document.getElementById("left") && first !== last && !(pilot.forced && !document.querySelector(".faces.hidden"))) {
      last = first;
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => press(pilot.wanted.includes(name(images[0])) ? "s" : "f"))));
    } else if (document.querySelector(".similar")) press("4");
    else if (document.querySelector(".rank") && first !== last) {
      last = first;
      for (const [place, image] of images.slice(1).entries()) {
        const rank = pilot.ranks[name(image)];
        if (rank) document.querySelectorAll(".faces.many .face")[place].querySelectorAll(".rank")[rank - 1].click();
      }
      requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById("submit").click()));
    }
  };
  setInterval(step, 5);
})();
