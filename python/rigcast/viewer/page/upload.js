// A file or a picture for the server: announced by a message, then its bytes in parts, which the server confirms.

const PART = 60000; // bytes: below the server's limit of 64 KB per message
const AHEAD = 8 * PART; // bytes that may be on their way

export class Upload {
  constructor(link) {
    this.link = link;
    this.received = -1; // bytes that the server has; -1: it has not answered
    this.isRefused = false;
    this.wake = null;
  }

  /** The server has so many bytes. */
  confirmed(bytes) {
    this.received = bytes;
    this.wake?.();
  }

  /** The server takes no more of them, or has gone. */
  refused() {
    this.isRefused = true;
    this.wake?.();
  }

  /** Sends a message of a type, then the bytes of a blob; returns whether the server has all. One at a time. */
  async send(type, entries, blob, progress = () => {}) {
    this.received = -1;
    this.isRefused = !this.link.isOpen;
    this.link.send(type, { ...entries, size: blob.size });
    for (let at = 0; at < blob.size; at += PART) {
      const part = await blob.slice(at, at + PART).arrayBuffer();
      if (!(await this.has(Math.max(0, at + PART - AHEAD)))) return false;
      this.link.sendBytes(part);
      progress(this.received / blob.size);
    }
    return this.has(blob.size);
  }

  /** Waits until the server has so many bytes; returns false if it refuses. */
  async has(bytes) {
    while (!this.isRefused && this.received < bytes) await new Promise((done) => (this.wake = done));
    return !this.isRefused;
  }
}
