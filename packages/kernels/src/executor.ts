import type { Variant } from './kernel/kernel';
import type { Probe, ProbeRequest } from './probe/probe';
import type { Problem } from './problem/problem';
import type { Tensor } from './problem/scalar';
import type { Sample } from './timing';
import type { PoisonKind } from './verify/poison';
import type { Verdict } from './verify/verification';

/** How an executor times samples. Results of different timers are never ranked together. */
export type Timer =
  /** GPU timestamps; `tickNs` is the smallest step observed, checked not to be quantised. */
  | { readonly kind: 'timestamp'; readonly tickNs: number }
  /** Wall clock around a batch: the device has no timestamps, or is the host CPU. */
  | { readonly kind: 'wall'; readonly tickNs: number };

/**
 * 32 secret bits for each purpose and index. A kernel reads some of them in memory: none may tell
 * anything of another.
 */
export type Secrets = (purpose: string, index?: number) => number;

export interface PrepareOptions {
  /** Seed of the inputs; each buffer set derives its own (`seedOfSet`). */
  readonly seed: number;
  /** Of the guards and the poison; absent: drawn at random. */
  readonly secrets?: Secrets;
  /** Distinct sets of input and output buffers to rotate through: 1 is hot, more is cold. */
  readonly bufferSets: number;
  /** Whether to time an upload of the inputs, which are generated on the device either way; absent: no. */
  readonly timeUpload?: boolean;
}

export interface SampleOptions {
  readonly dispatches: number;
  /** True rotates through all buffer sets (cold); false writes to the first alone (hot). */
  readonly rotate: boolean;
}

/** The output that a dispatch left in its buffer set. */
export interface Output {
  /** As on the device, for comparing two outputs bit for bit. */
  readonly bytes: Uint8Array;
  readonly downloadNs: number;
  /** The values; halves are converted only when this is called. */
  readonly tensor: () => Tensor;
}

/** A warning or note of a compiler about a source that it takes. */
export interface Remark {
  /** 1-based, of the author's file. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Work under way, and its answer. */
export interface Pending<T> {
  readonly answer: Promise<T>;
}

/** A verdict on other inputs than those that are measured. */
export interface InRegime {
  /** Which inputs, for messages: `integers, whose sums are exact`. */
  readonly words: string;
  readonly verdict: Verdict;
}

/** A variant compiled and bound for one problem. Its outputs are undefined, and not to be verified, until `poison`. */
export interface Prepared {
  readonly bufferSets: number;
  /** Rotated dispatches from `refill` on of which none repeats what one before did: no A meets a B twice. */
  readonly newTurns: number;
  /** Parts of which an output can be verified by one alone, where the whole takes long; else 1. */
  readonly parts: number;
  /** The buffer set of the last dispatch; 0 before the first. */
  readonly lastSet: number;
  /** Of a source whose author wrote all its lines; absent: of another. */
  readonly remarks?: readonly Remark[];
  /** Time to build the pipeline, ns; null if it was compiled ahead. 0 on the host. */
  readonly compileNs: number | null;
  /** Host-to-device time of one buffer set's inputs, ns; null on the host or if not requested. */
  readonly uploadNs: number | null;
  /** Time to generate the inputs of all buffer sets in place, ns. */
  readonly fillNs: number;
  /**
   * Writes over every output and the scratch memory, and makes the guards around them again; given
   * how many, over the outputs of the first sets only. The next dispatch is the first of the rotation (rotation.ts).
   */
  poison(kind: PoisonKind, sets?: number): Promise<void>;
  /**
   * Makes the inputs of all buffer sets again from another seed, or of those that a sample takes that
   * comes next. The next dispatch is the first of the rotation. Does not wait for the device:
   * whatever follows does.
   */
  refill(seed: number, next?: SampleOptions): Promise<void>;
  /** Runs and times `dispatches` runs of the kernel. Throws `DeviceFault` if the device is lost. */
  sample(options: SampleOptions): Promise<Sample>;
  /**
   * The times, ns, of passes like that of `sample` that the device runs one after the other, at most 31, behind
   * untimed ones: where waits are so coarse that its clocks fall meanwhile. Absent on the host; throws Error without the GPU's clock.
   */
  samples?(options: SampleOptions, passes: number, untimed: number): Promise<readonly number[]>;
  /**
   * Compares the outputs of these buffer sets, or one part of each, with the product of their inputs;
   * the verdict is on all of them, its worst element that of the worst, and rests on references that `audit` is to
   * audit. Throws `OutOfBoundsWrite` if a guard has changed.
   */
  verify(sets: readonly number[], part?: number): Promise<Verdict>;
  /**
   * Audits the references that verdicts rested on so far: the host's work, best done while the device is at work. Throws
   * `ReferenceWrong`.
   */
  audit(): Promise<void>;
  /**
   * Begins dispatches that nothing times, with the comparison of these outputs behind them: once this
   * resolves, the next work may be begun, and the outputs written over, since that comes last.
   */
  beginJudged(options: SampleOptions, sets: readonly number[]): Promise<Pending<Verdict>>;
  /**
   * Begins one that writes to the first set, likewise, with a fingerprint of its output: equal for equal
   * bits.
   */
  beginFingerprint(): Promise<Pending<string>>;
  /**
   * Runs the kernel once on each other kind of inputs that its problem is verified on, with memory far
   * behind its output that it must not change, and compares. Throws `OutOfBoundsWrite`.
   */
  verifyRegimes(): Promise<readonly InRegime[]>;
  /** Copies back the output of a buffer set. */
  readOutput(bufferSet: number): Promise<Output>;
  destroy(): void;
}

/**
 * Runs variants on one device. `prepare` (compile, bind) and `sample` (run, time) are separate,
 * so that compilation is never inside a timed region.
 */
export interface Executor {
  readonly timer: Timer;
  /**
   * Compiles ahead of `prepare`, while the device does other work. Throws as `prepare` does.
   * Does nothing on the host.
   */
  compile(variant: Variant, problem: Problem): Promise<void>;
  /** Throws `CompileError` with stage, message, line and source line. */
  prepare(variant: Variant, problem: Problem, options: PrepareOptions): Promise<Prepared>;
  /** Prepares a measurement of the device itself: bandwidth, peak or canary. Null on the host. */
  probe(request: ProbeRequest): Promise<Probe | null>;
  destroy(): void;
}
