// Messages of the server: a header in JSON, then arrays; _wire.py writes them.

/** Splits a message into its header and the offset of the first array. */
export function unpacked(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { header, offset: 4 + length };
}

/** A message of a header and arrays of bytes. */
export function packed(header, arrays) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 4) * 4;
  const bytes = new Uint8Array(4 + length + arrays.reduce((sum, array) => sum + array.length, 0));
  new DataView(bytes.buffer).setUint32(0, length, true);
  bytes.fill(32, 4, 4 + length).set(text, 4);
  let at = 4 + length;
  for (const array of arrays) {
    bytes.set(array, at);
    at += array.length;
  }
  return bytes.buffer;
}

/** The index buffers of each figure of a scene. */
export function sceneBuffers(header, buffer, offset) {
  return header.figures.map((figure) => {
    const take = (count) => {
      const array = new Uint32Array(buffer, offset, count);
      offset += 4 * count;
      return array;
    };
    return { triangles: take(3 * figure.triangles), reduced: take(3 * figure.reduced), edges: take(2 * figure.edges) };
  });
}

export const BYTES_PER_VERTEX = 12;

/** The packed vertices of each figure of a frame. */
export function frameVertices(figures, buffer, offset) {
  return figures.map((figure) => {
    const bytes = new Uint8Array(buffer, offset, BYTES_PER_VERTEX * figure.vertices);
    offset += bytes.length;
    return bytes;
  });
}
