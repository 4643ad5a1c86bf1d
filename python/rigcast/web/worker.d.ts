/** A model on a thread of its own. Results are handed over, what is given is copied. */

import type { Channel, DragOptions, Numbers, Source, Wasm } from "./rigcast";

export interface WorkerModel {
  readonly kind: string;
  readonly name: string;
  readonly vertexCount: number;
  readonly columnCount: number;
  readonly faces: Int32Array;
  readonly restVertices: Float32Array;
  readonly restPose: Float32Array;
  readonly channels: Channel[];
  readonly channelsDecide: boolean;
  poses(channels: Numbers): Promise<Float32Array>;
  channelsOf(poses: Numbers): Promise<Float64Array>;
  evaluate(poses: Numbers): Promise<Float32Array>;
  vjp(poses: Numbers, cotangents: Numbers): Promise<Float32Array>;
  jvp(poses: Numbers, tangents: Numbers): Promise<Float32Array>;
  confidence(poses: Numbers): Promise<Float32Array>;
  errorBound(poses: Numbers): Promise<Float32Array>;
  /** Vertices (V, 3) of one pose, of which only the changes are computed. */
  pose(pose: Numbers): Promise<Float32Array>;
  drag(
    vertices: Numbers,
    points: Numbers,
    options?: DragOptions,
  ): Promise<{ pose: Float32Array; channels: Float64Array | null; errors: Float64Array; converged: boolean; iterations: number }>;
  /** Ends the thread; what waits is rejected. */
  free(): void;
}

/** Opens a model in a worker. */
export declare function open(source: Source, options?: { wasm?: Wasm; name?: string }): Promise<WorkerModel>;
