// Files that are dropped into the window: sent to the server, which opens them.

const MOTION = /\.(bvh|npz|npy|csv)(\.gz)?$/i; // such a one joins the character that is dropped with it: it goes last
const NO_SERVER = "This page has no server, and opens no files: the command rigcast view shows one, and opens what is dropped into its window.";
const AWAY = "The server is away: no file can be opened.";
const STILL_OVER = 1000; // milliseconds: a file that is over the window says so more often, one that is taken back says nothing
const INVITATION = "Drop a character or a motion to open it. With Shift, a character's file gives its motion alone.";

export class Dropping {
  /** view: { stage, link, uploads, film, isServed, notice(text, stays) }. */
  constructor(view) {
    this.view = view;
    this.answer = null; // for what becomes of the file that was sent
    this.busy = ""; // the name of that file
    this.isOver = false; // a file is held over the window
    this.gone = null; // a timer
    addEventListener("dragover", (event) => this.over(event));
    addEventListener("dragleave", (event) => event.relatedTarget === null && this.away());
    addEventListener("drop", (event) => this.dropped(event));
  }

  /** Without this, the browser would leave the view for the file. */
  over(event) {
    event.preventDefault();
    if (!event.dataTransfer.types.includes("Files") || !this.view.isServed) return;
    clearTimeout(this.gone);
    this.gone = setTimeout(() => this.away(), STILL_OVER);
    if (this.isOver) return;
    this.mark(true);
    if (!this.busy) this.view.notice(INVITATION, true);
  }

  away() {
    if (!this.isOver) return;
    this.mark(false);
    if (!this.busy) this.view.notice("");
  }

  mark(isOver) {
    if (!isOver) clearTimeout(this.gone);
    this.isOver = isOver;
    this.view.stage.classList.toggle("is-target", isOver);
  }

  async dropped(event) {
    event.preventDefault();
    this.mark(false);
    const { view } = this;
    const files = filesOf(event.dataTransfer);
    if (!files.length) return view.notice("");
    const why = this.hindrance();
    if (why) return view.notice(why);
    const said = [];
    for (const [i, one] of files.entries()) said.push(await this.opened(one, event.shiftKey, i === 0));
    view.notice(said.join("\n"));
  }

  /** Why no file is opened now; empty if one is. */
  hindrance() {
    const { view } = this;
    if (!view.isServed) return NO_SERVER;
    if (!view.link.isOpen) return AWAY;
    if (view.film.running) return "Pictures are being saved: drop the file when they are.";
    return this.busy && `${this.busy} is being opened: drop the next file when it is.`;
  }

  /** Sends a file; returns what became of it, in words. */
  async opened({ file, isFolder }, motion, first) {
    const { view } = this;
    const name = file.name;
    if (!view.link.isOpen) return `${name}: ${AWAY}`;
    if (isFolder) return `${name} is a folder: rigcast view ${name} shows a data set; a page takes files.`;
    this.busy = name;
    const answer = new Promise((done) => (this.answer = done));
    const progress = (share) => view.notice(`Sending ${name}: ${Math.floor(100 * share)} %`, true);
    progress(0);
    try {
      if (await view.uploads.send("file", { name, motion, first }, file, progress)) view.notice(`Opening ${name} ...`, true);
      return await answer;
    } catch (error) {
      return `${name} cannot be read: ${error.message}`;
    } finally {
      this.busy = "";
      this.answer = null;
    }
  }

  /** What the server says of the file; returns whether one was sent. */
  answered(text) {
    this.answer?.(text);
    return this.answer !== null;
  }
}

/** The files of a drop, each with whether it is a folder; motions last. */
function filesOf({ files, items }) {
  const entries = [...items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.());
  const found = [...files].map((file, i) => ({ file, isFolder: entries[i]?.isDirectory ?? false }));
  return found.sort((a, b) => MOTION.test(a.file.name) - MOTION.test(b.file.name));
}
