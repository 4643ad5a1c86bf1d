// Restores a model's file from whole numbers with a scale per block: what _numbers.py made.

/** The file (Uint8Array) of its packed bytes; matrices: [[offset, rows, columns, bytes, rows of a block]]. */
export function restored(packed, matrices) {
  let size = packed.length;
  for (const [, rows, columns, bytes, block] of matrices) size += rows * columns * (4 - bytes) - Math.ceil(rows / block) * columns;
  const file = new Uint8Array(size);
  let [from, to] = [0, 0];
  for (const matrix of matrices) {
    const [offset, rows, columns, bytes, block] = matrix;
    file.set(packed.subarray(from, from + offset - to), to);
    from += offset - to;
    const read = rows * columns * bytes + Math.ceil(rows / block) * columns;
    file.set(new Uint8Array(floats(packed.subarray(from, from + read), matrix).buffer), offset);
    from += read;
    to = offset + 4 * rows * columns;
  }
  file.set(packed.subarray(from), to);
  return file;
}

function floats(packed, [, rows, columns, bytes, block]) {
  const count = rows * columns;
  const codes = packed.subarray(0, count * bytes);
  const exponents = new Int8Array(packed.slice(count * bytes).buffer);
  const values = new Float32Array(count);
  for (let i = 0; i < count; ++i) {
    const code = bytes === 2 ? ((codes[i] | (codes[count + i] << 8)) << 16) >> 16 : (codes[i] << 24) >> 24;
    const [row, column] = [Math.floor(i / columns), i % columns];
    values[i] = code * 2 ** exponents[Math.floor(row / block) * columns + column];
  }
  return values;
}
