// The WebSocket: the token is in the address of the page, after the #, which browsers send to nobody.

const RETRY = 800; // milliseconds

/** Keeps a connection: calls on.message(buffer) for each message, on.state(connected) when that changes. */
export class Link {
  constructor(on) {
    this.on = on;
    this.token = location.hash.slice(1);
    this.open();
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.on.state(true);
    socket.onmessage = (event) => this.on.message(event.data);
    socket.onclose = () => {
      this.on.state(false);
      setTimeout(() => this.open(), RETRY);
    };
    this.socket = socket;
  }

  send(type, entries = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...entries }));
  }
}
