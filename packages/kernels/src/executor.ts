import type { InputMode } from './inputs';
import type { Tensor, Variant } from './kernel';
import type { Probe, ProbeRequest } from './probe/probe';
import type { Problem } from './problem';
import type { Sample } from './sample';

/** How an executor knows the time of a sample. Never mixed in a ranking. */
export type Timer =
  /** GPU timestamps; `tickNs` is the smallest step observed, proved not to be quantised. */
  | { readonly kind: 'timestamp'; readonly tickNs: number }
  /** Wall clock around a batch: no timestamps on this device, or the host CPU. */
  | { readonly kind: 'wall'; readonly tickNs: number };

export interface PrepareOptions {
  /** Seed of the inputs. */
  readonly seed: number;
  /** Absent: `uniform`. */
  readonly inputs?: InputMode;
  /** Distinct sets of input and output buffers to rotate through: 1 is hot, more is cold. */
  readonly bufferSets: number;
  /** Whether to time an upload of the inputs, which are then made on the device all the same; absent: no. */
  readonly timeUpload?: boolean;
}

export interface SampleOptions {
  readonly dispatches: number;
  /** Rotate through all buffer sets (cold) or stay on the first one (hot). */
  readonly rotate: boolean;
}

/** What a dispatch left in its buffer set. */
export interface Output {
  /** As on the device, to tell whether two are the same. */
  readonly bytes: Uint8Array;
  readonly downloadNs: number;
  /** The numbers. Those of halves are made when they are asked for. */
  readonly tensor: () => Tensor;
}

/** A variant compiled and bound for one problem. Its outputs hold anything until `poison`. */
export interface Prepared {
  readonly bufferSets: number;
  /** The buffer set of the last dispatch; 0 before the first. */
  readonly lastSet: number;
  /** Time to build the pipeline, ns; null when it was compiled ahead. 0 on the host. */
  readonly compileNs: number | null;
  /** Host-to-device time of the inputs of one buffer set, ns; null on the host, and unless asked for. */
  readonly uploadNs: number | null;
  /** Time to fill the inputs of all buffer sets where they are used, ns. */
  readonly fillNs: number;
  /** Fills every output with NaN (sentinel for i32) and rewrites the canary words behind it. */
  poison(): Promise<void>;
  /** Runs `dispatches` times and times it. Throws `DeviceFault` when the device is lost. */
  sample(options: SampleOptions): Promise<Sample>;
  /** Copies back the output of a buffer set. Throws `OutOfBoundsWrite` when canary words changed. */
  readOutput(bufferSet: number): Promise<Output>;
  destroy(): void;
}

/**
 * Runs variants on one device. `prepare` (compile, bind) and `sample` (run,
 * time) are separate verbs, so that compiling is never inside a timed region.
 */
export interface Executor {
  readonly timer: Timer;
  /**
   * Compiles ahead of `prepare`, which then finds it done, beside other work of the device.
   * Throws as `prepare` does. Nothing on the host.
   */
  compile(variant: Variant, problem: Problem): Promise<void>;
  /** Throws `CompileError` with stage, message, line and source line. */
  prepare(variant: Variant, problem: Problem, options: PrepareOptions): Promise<Prepared>;
  /** A measurement of the device itself: its bandwidth, peak and canary. Null on the host. */
  probe(request: ProbeRequest): Promise<Probe | null>;
  destroy(): void;
}
