/** rigcast in browsers and node. Arrays are row-major and flat: poses (T, C), vertices (T, V, 3). */

export type Numbers = ArrayLike<number>;
export type Source = ArrayBuffer | ArrayBufferView | URL | string;
export type Wasm = Source | WebAssembly.Module;

/** An error of the engine. */
export declare class RigcastError extends Error {
  readonly kind: "bad argument" | "bad file" | "numerical" | "no memory" | "bad handle" | "failed" | "cancelled";
}

/** Reads a model file: its bytes, or a URL; a text is relative to the page, in node to the working directory. `wasm` is by default the file beside the module; `name` stands in errors. */
export declare function load(source: Source, options?: { wasm?: Wasm; name?: string }): Promise<Model>;
/** Reads a synthesizer, whose players move a rig without end. */
export declare function loadSynthesizer(source: Source, options?: { wasm?: Wasm; name?: string }): Promise<Synthesizer>;
/** An instance of the engine, which models share; each module is compiled once. */
export declare function engineOf(wasm?: Wasm): Promise<Engine>;
/** The same as load, of an engine and bytes that are there. */
export declare function parse(engine: Engine, bytes: Uint8Array, name?: string): Model;

/** An instance of the engine. */
export interface Engine {
  readonly exports: WebAssembly.Exports;
  bytes(): Uint8Array;
}

/** What holds memory of the engine. */
export interface Owned {
  /** Gives the memory back; twice is allowed. What is forgotten is freed some time. */
  free(): void;
}

export interface Channel {
  readonly name: string;
  readonly kind: string;
  readonly unit: "degrees" | "rig" | "";
  readonly reason: string;
  readonly low: number;
  readonly high: number;
  readonly rest: number;
  readonly joint: number;
  readonly isWhole: boolean;
}

/** A model of any kind. */
export declare class Model implements Owned {
  private constructor();
  readonly kind: string;
  readonly name: string;
  readonly upAxis: "X" | "Y" | "Z";
  readonly metersPerUnit: number;
  readonly vertexCount: number;
  readonly faceCount: number;
  readonly columnCount: number;
  readonly detailSegments: number;
  /** (V, 3) */
  readonly restVertices: Float32Array;
  /** (F, 4); -1 pads triangles. */
  readonly faces: Int32Array;
  /** (C) */
  readonly restPose: Float32Array;
  /** (C, 2) */
  readonly columnRanges: Float32Array;
  readonly columnNames: string[];
  readonly jointNames: string[];
  /** (J); -1 for a root. */
  readonly jointParents: Int32Array;
  /** (J, 3, 4), relative to the parent. */
  readonly jointRest: Float32Array;
  readonly channels: Channel[];
  /** Whether the channels decide poses: else `poses` throws. */
  readonly channelsDecide: boolean;
  readonly metadata: Record<string, unknown>;
  /** Poses (T, C) of channels (T, N). */
  poses(channels: Numbers): Float32Array;
  /** Channels (T, N) that come nearest to poses (T, C). */
  channelsOf(poses: Numbers): Float64Array;
  /** Vertices (T, V, 3) of poses (T, C). */
  evaluate(poses: Numbers): Float32Array;
  /** Gradients (T, C) of sum(vertices * cotangents), for cotangents (T, V, 3). */
  vjp(poses: Numbers, cotangents: Numbers): Float32Array;
  /** Derivatives (T, V, 3) of the vertices along tangents (T, C). */
  jvp(poses: Numbers, tangents: Numbers): Float32Array;
  /** (T) from 0 to 1: 1 among the training poses. */
  confidence(poses: Numbers): Float32Array;
  /** (T, V): 95 % of held-out errors lie below. */
  errorBound(poses: Numbers): Float32Array;
  /** A model of the given vertices alone, in this order. */
  restricted(vertices: Numbers): Model;
  session(): Session;
  drag(vertices: Numbers): Drag;
  surface(): Surface;
  free(): void;
}

/** A model that is posed again and again; only what changes is computed. */
export declare class Session implements Owned {
  private constructor();
  readonly model: Model;
  readonly pose: Float32Array;
  /** (V, 3): a view of the engine's memory. Ask again for it after any other call. */
  readonly vertices: Float32Array;
  /** From 0 to 1: 1 among the training poses. */
  readonly confidence: number;
  /** Poses the model (C). */
  evaluate(pose: Numbers): Float32Array;
  /** Poses the model by channels by name; the others are at rest. */
  setChannels(values: Record<string, number>): Float32Array;
  /** The quality of what follows, from 0 to 1 per detail segment. */
  setDetail(detail: Numbers): void;
  free(): void;
}

export interface DragOptions {
  /** (C): where the search begins. */
  start?: Numbers;
  /** (C): what stays where the points leave a choice. */
  preferred?: Numbers;
  /** (M) from 0. */
  weights?: Numbers;
  maxIterations?: number;
  tolerance?: number;
  preference?: number;
}

/** What pulls some vertices of a model. */
export interface Drag extends Owned {
  readonly model: Model;
  /** The pose in which the vertices are as near to points (M, 3) as the model allows. */
  to(points: Numbers, options?: DragOptions): {
    pose: Float32Array;
    channels: Float64Array | null;
    errors: Float64Array;
    converged: boolean;
    iterations: number;
  };
}

/** A mesh as graphics hardware reads it, and what a ray meets of it. */
export interface Surface extends Owned {
  /** (V, 12): place (3 x uint16 from low to high), mark, zero, normal (2 x int16, octahedral). */
  pack(vertices: Numbers, marks?: Uint8Array | null): { bytes: Uint8Array; low: number[]; high: number[] };
  pick(origin: Numbers, direction: Numbers): { corners: number[]; weights: number[]; distance: number } | null;
}

/** What plays motion in the manner of labelled clips. */
export declare class Synthesizer implements Owned {
  private constructor();
  readonly fps: number;
  readonly labels: string[];
  readonly controlNames: string[];
  /** (K, 2) */
  readonly limits: Float32Array;
  readonly metadata: Record<string, unknown>;
  player(seed?: number, label?: string): Player;
  free(): void;
}

/** One character that plays; the same seed and commands give the same frames. */
export interface Player extends Owned {
  readonly synthesizer: Synthesizer;
  readonly seed: number;
  readonly label: string;
  idle(label: string): void;
  transition(label: string): void;
  play(label: string, clipNumber?: number): void;
  /** The next frames of the controls (T, K). */
  step(frames?: number): Float32Array;
}
