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

/** The index buffers of each figure of a scene, and the arrays of its materials: colors, texture coordinates, images. */
export function sceneBuffers(header, buffer, offset) {
  const take = (Type, count) => {
    const array = new Type(buffer, offset, count);
    offset += Math.ceil(array.byteLength / 4) * 4;
    return array;
  };
  return header.figures.map(({ triangles, reduced, edges, vertices, look }) => ({
    ...{ triangles: take(Uint32Array, 3 * triangles), reduced: take(Uint32Array, 3 * reduced), edges: take(Uint32Array, 2 * edges) },
    tints: look ? take(Uint8Array, 4 * vertices) : null,
    uvs: look?.hasUvs ? take(Float32Array, 2 * vertices) : null,
    images: (look?.images ?? []).map(({ bytes }) => take(Uint8Array, bytes)),
  }));
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
