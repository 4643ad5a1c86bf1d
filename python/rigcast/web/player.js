// Players: endless motion of a synthesizer.

import { layout, Owned } from "./engine.js";

const COMMAND = layout([
  ["size", "u32"],
  ["name", "u32"],
  ["label", "u32"],
  ["who", "u32"],
  ["who_count", "i64"],
  ["poses", "u32"],
  ["pose_count", "i64"],
  ["hold", "list"],
  ["along", "u32"],
  ["clip", "u32"],
  ["clip_number", "i64"],
  ["begin", "i64"],
  ["end", "i64"],
  ["is_later", "i32"],
  ["is_scheduled", "i32"],
  ["frame", "i64"],
]);

/** One character that plays. */
export class Player extends Owned {
  constructor(synthesizer, seed, label) {
    const { engine } = synthesizer;
    const handle = engine.made("player_new", (arena) => {
      const labels = Uint32Array.of(arena.text(label));
      return [synthesizer.handle, arena.put(BigUint64Array.of(BigInt(seed))), 1n, arena.put(labels), 1n, 0];
    });
    super(engine, handle, "player_free");
    this.synthesizer = synthesizer;
    this.seed = seed;
  }

  /** Wander around a label from now on, going there first. */
  idle(label) {
    this.#tell({ name: "idle", label });
  }

  /** Go to another label. */
  transition(label) {
    this.#tell({ name: "transition", label });
  }

  /** Go to a clip of a label, play its frames, and stay where they end. */
  play(label, clipNumber = 0) {
    this.#tell({ name: "play", label, clip_number: clipNumber });
  }

  #tell({ name, label, ...more }) {
    this.engine.with((arena) => {
      const command = arena.structure(COMMAND, { name: arena.text(name), label: arena.text(label), ...more });
      this.engine.call("player_tell", this.handle, command);
    });
  }

  /** The next frames of the controls (T, K). */
  step(frames = 1) {
    const count = frames * this.synthesizer.controlNames.length;
    return this.engine.with((arena) => {
      const controls = arena.room(4 * count);
      this.engine.call("player_step", this.handle, BigInt(frames), 0, 0n, controls, BigInt(count));
      return this.engine.copy(Float32Array, controls, count);
    });
  }

  /** The label at which the character is. */
  get label() {
    return this.engine.with((arena) => {
      const label = arena.room(8);
      this.engine.call("player_where", this.handle, 0n, 0, label, 0);
      return this.synthesizer.labels[Number(this.engine.view().getBigInt64(label, true))];
    });
  }
}
