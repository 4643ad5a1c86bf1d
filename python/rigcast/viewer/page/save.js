// Files for the user: pictures, sequences of them, and what the server wrote.

export function download(name, blob) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A .zip of stored files: [{ name, bytes }]. */
export function zipped(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const text = new TextEncoder().encode(name);
    const shared = [20, 0, 0, 0, 0x21, checksum(bytes), bytes.length, bytes.length, text.length, 0];
    const head = record(0x04034b50, [2, 2, 2, 2, 2, 4, 4, 4, 2, 2], shared);
    directory.push(record(0x02014b50, [2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4], [20, ...shared, 0, 0, 0, 0, offset]), text);
    parts.push(head, text, bytes);
    offset += head.length + text.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(0x06054b50, [2, 2, 2, 2, 4, 4, 2], [0, 0, files.length, files.length, size, offset, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function record(signature, sizes, values) {
  const view = new DataView(new ArrayBuffer(4 + sizes.reduce((sum, size) => sum + size, 0)));
  view.setUint32(0, signature, true);
  let at = 4;
  sizes.forEach((size, i) => {
    if (size === 2) view.setUint16(at, values[i], true);
    else view.setUint32(at, values[i], true);
    at += size;
  });
  return new Uint8Array(view.buffer);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  for (let k = 0; k < 8; ++k) i = i & 1 ? 0xedb88320 ^ (i >>> 1) : i >>> 1;
  return i;
});

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
