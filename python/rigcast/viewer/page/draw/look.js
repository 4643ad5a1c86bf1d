// The materials of a figure: triangles by image, and textures that arrive when the browser has read them.

const NOT_DRAWN = -2; // as _looks.py says: clear layers, as over the eye

export class Look {
  /** groups: of each part [[image, triangles], ...], in the order of its triangles. */
  constructor(gl, mesh, { groups, images }, contents, onReady) {
    this.gl = gl;
    this.mesh = mesh;
    this.groups = groups;
    this.textures = images.map(() => null);
    this.waiting = images.length;
    this.isFreed = false;
    contents.forEach((bytes, i) => this.read(i, new Blob([bytes], { type: images[i].type }), onReady));
  }

  async read(i, blob, onReady) {
    const picture = await createImageBitmap(blob, { colorSpaceConversion: "none" }).catch(() => null);
    this.waiting -= 1;
    if (!picture || this.isFreed) return; // what the browser cannot read stays a color
    const { gl } = this;
    this.textures[i] = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.textures[i]);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
    picture.close();
    onReady();
  }

  /** shade(source, draw) sets a way to shade and calls what draws. */
  draw(part, shade) {
    const { gl, mesh } = this;
    let from = 0;
    for (const [image, triangles] of this.groups[part]) {
      const begin = from;
      from += 3 * triangles;
      if (image === NOT_DRAWN) continue;
      const texture = this.textures[image];
      if (texture) gl.bindTexture(gl.TEXTURE_2D, texture);
      shade(texture ? "image" : "tints", () => mesh.draw(part, gl.TRIANGLES, begin, 3 * triangles));
    }
  }

  free() {
    this.isFreed = true;
    for (const texture of this.textures) this.gl.deleteTexture(texture);
  }
}
