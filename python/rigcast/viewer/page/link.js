// The WebSocket: the token is in the address of the page, after the #, which browsers send to nobody.

const RETRY = 800; // milliseconds between two attempts to reach a server
const RETRY_REFUSED = 8000; // where one answers, and does not know the token
const AWAY = "The view has ended or cannot be reached. Trying again ...";
const REFUSED = "This address is not valid (any more): use the one in the terminal. It changes with every start, unless --token-file keeps it.";
const INCOMPLETE = "This address is not complete: use the whole one in the terminal, with what follows the #.";

/** Keeps a connection: calls on.message(buffer) for each message, on.state(connected, why) when that changes. */
export class Link {
  constructor(on) {
    this.on = on;
    addEventListener("hashchange", () => this.begin());
    this.begin();
  }

  /** With the token of the address as it is now. */
  begin() {
    this.token = location.hash.slice(1);
    clearTimeout(this.timer);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    if (this.token) this.open();
    else queueMicrotask(() => this.on.state(false, INCOMPLETE));
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.on.state(true);
    socket.onmessage = (event) => this.on.message(event.data);
    socket.onclose = () => this.closed(socket);
    this.socket = socket;
  }

  /** A browser does not say why a socket did not open: if the page can still be had, the token is not that of its server. */
  async closed(socket) {
    const answers = await fetch("link.js", { method: "HEAD", cache: "no-store" }).then((answer) => answer.ok, () => false);
    if (socket !== this.socket) return;
    this.on.state(false, answers ? REFUSED : AWAY);
    this.timer = setTimeout(() => this.open(), answers ? RETRY_REFUSED : RETRY);
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  send(type, entries = {}) {
    if (this.isOpen) this.socket.send(JSON.stringify({ type, ...entries }));
  }

  /** Bytes that a message has announced. */
  sendBytes(bytes) {
    if (this.isOpen) this.socket.send(bytes);
  }
}
