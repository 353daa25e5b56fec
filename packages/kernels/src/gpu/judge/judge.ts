import { NoMemoryToVerify, OutOfMemory } from '../../errors';
import type { Pending } from '../../executor';
import type { Kernel } from '../../kernel/kernel';
import { sourceByDtype } from '../../kernel/specialise';
import type { Rows } from '../../numbers';
import { DTYPES } from '../../problem/dtype';
import { elements } from '../../problem/op';
import { opOf } from '../../problem/ops';
import type { Problem } from '../../problem/problem';
import { jsonNumber } from '../../verify/compare';
import { type InputChoice, isExact, roundingOn } from '../../verify/fills';
import { GUARD_BYTES } from '../../verify/poison';
import { boundOf, unitOf } from '../../verify/precision';
import { merged, type Verdict } from '../../verify/verification';
import { download, guarded } from '../buffers';
import { floatBits } from '../fill';
import type { Pipelines } from '../pipelines';
import type { DeviceWatch } from '../watch';
import compareBits from './compare-bits.wgsl?raw';
import compareValues from './compare-values.wgsl?raw';
import fingerprintWgsl from './fingerprint.wgsl?raw';
import { type Guarded, guardsOf } from './guards';
import guardsWgsl from './guards.wgsl?raw';
import { type Reference, References } from './references';
import { type Question, Results } from './results';
import { BITS_RECORD_WORDS, RECORD_WORDS, sharesOf, valuesVerdict } from './shares';

/** Multiply-adds of a reference that takes a few milliseconds. */
const QUICK_WORK = 2 ** 34;

/** Enough to keep any device busy. */
const FINGERPRINT_GROUPS = 1024;

/** An output to be judged, with the inputs it was computed from. */
export interface Judged {
  readonly choice: InputChoice;
  readonly inputs: readonly GPUBuffer[];
  /** Between its guards. */
  readonly output: GPUBuffer;
  /** Of its rows; absent: all. */
  readonly part?: Rows | undefined;
}

/** Rows of an output, which have a reference of their own. */
interface JudgedPart extends Judged {
  readonly part: Rows;
}

/** The part of a check that all outputs of a run share. */
export interface Case {
  readonly problem: Problem;
  readonly kernel: Pick<Kernel, 'computes' | 'errorGrowth'>;
}

/**
 * Verification on the device: compares every element of outputs with references, each with its own
 * bound, and returns a few numbers only. An output whose reference is larger than the device can bind
 * is compared in parts.
 *
 * - references.ts  what outputs are compared with, made on the device
 * - audit.ts       how the host audits a reference
 * - shares.ts      the parts of a comparison, and what their records add up to
 * - guards.ts      whether a kernel wrote outside its output
 * - results.ts     runs these small jobs together
 */
export class Judge {
  readonly #watch: DeviceWatch;
  readonly #results: Results;
  readonly #references: References;

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#results = new Results(watch, pipelines);
    this.#references = new References(watch, pipelines);
  }

  destroy(): void {
    this.#references.destroy();
    this.#results.destroy();
  }

  /** Starts to compile what verdicts take, all at once; errors come from `judge`. */
  compileAhead({ problem, kernel: { computes } }: Pick<Case, 'problem' | 'kernel'>): void {
    this.#references.compileAhead({ problem, computes });
    const { norms } = opOf(problem).verification;
    const rounds = norms && computes !== 'copy' && !DTYPES[problem.dtype].isInteger;
    const [source, read] = rounds
      ? [valuesSource(problem.dtype), 4]
      : [bitsSource(problem.dtype), 2];
    this.#results.compile(source, read).catch(() => undefined);
    for (const small of [guardsWgsl, fingerprintWgsl]) {
      this.#results.compile(small, 1).catch(() => undefined);
    }
  }

  /** Parts of an output whose references take some milliseconds each. */
  quickParts(problem: Problem): readonly Rows[] {
    return this.#references.parts(problem, QUICK_WORK);
  }

  /**
   * One verdict on some outputs, which may be written over once this resolves. The verdict throws
   * OutOfBoundsWrite if a guard around `memory` has changed since the poison, this NoMemoryToVerify if
   * there is no room for what it would rest on, which is to be audited (`audit`).
   */
  async judge(
    judging: Case,
    outputs: readonly Judged[],
    memory: readonly Guarded[],
    guard: number,
  ): Promise<Pending<Verdict>> {
    const { problem } = judging;
    let guards: Question<Verdict | null>[] = memory.flatMap((tensor) => guardsOf(tensor, guard));
    let verdicts: Pending<Verdict[]> = { answer: Promise.resolve([]) };
    const most = this.#references.capacity(problem);
    const parts = this.#references.parts(problem);
    const all = outputs.flatMap((output) =>
      (output.part ? [output.part] : parts).map((part) => ({ ...output, part })),
    );
    for (let first = 0; first < all.length; first += most) {
      const before = await verdicts.answer;
      const questions: Question<Verdict>[] = [];
      const some = all.slice(first, first + most);
      for (const judged of some) {
        const { computes } = judging.kernel;
        const reference = await this.#references
          .get({ problem, computes, ...judged }, some.length)
          .catch(noRoom);
        questions.push(
          reference.norms || isExactFloat(judging, judged)
            ? await this.#compareValues(judging, judged, reference)
            : this.#compareBits(judging, judged, reference),
        );
      }
      const { answer } = await this.#ask([...guards, ...questions]);
      verdicts = {
        answer: answer.then((answers) => [
          ...before,
          ...answers.filter((verdict) => verdict !== null),
        ]),
      };
      guards = [];
    }
    return pending(verdicts.answer.then(merged));
  }

  /** Audits the references that verdicts rested on so far, on the host. Throws ReferenceWrong. */
  audit(): Promise<void> {
    return this.#references.audit();
  }

  /** Begins what is equal for equal bits of an output between its guards. */
  async fingerprint(output: GPUBuffer, contentBytes: number): Promise<Pending<string>> {
    const first = GUARD_BYTES / 4;
    const words = Math.ceil(contentBytes / 4);
    const job = {
      source: fingerprintWgsl,
      read: [output],
      words: [first, first + words],
      bytes: 8,
      groups: Math.min(Math.ceil(words / 256), FINGERPRINT_GROUPS),
    };
    const question = { job, answer: (sums: ArrayBuffer) => new Uint32Array(sums).join() };
    const { answer } = await this.#ask([question]);
    return pending(answer.then(([sums = '']) => sums));
  }

  /** Asks all at once: waiting for a device takes longer than most comparisons. */
  async #ask<T>(questions: readonly Question<T>[]): Promise<Pending<T[]>> {
    const { answer: read } = await this.#results.read(questions.map(({ job }) => job));
    const answer = read.then((results) =>
      questions.map((question, i) => question.answer(results[i] ?? new ArrayBuffer(0))),
    );
    return pending(answer);
  }

  async #compareValues(
    judging: Case,
    judged: JudgedPart,
    reference: Reference,
  ): Promise<Question<Verdict>> {
    const { problem, kernel } = judging;
    const { length, base, rows, cols, share, groups } = sharesOf(problem, judged.part);
    const rounding = roundingOn(problem, judged.choice, kernel);
    const growth = kernel.errorGrowth ?? 1;
    const terms = opOf(problem).terms(problem.shape);
    const precision = { rounding, terms, growth };
    const norms = reference.norms ?? [reference.want, reference.want];
    // Exact sums have no scale; any will do.
    const scale = reference.norms === null ? 1 : await this.#largestScale(kernel, norms);
    const allowed = boundOf(precision, this.#lengthOf(problem));
    // Above zero, since an exact error is divided by it.
    const absolute = Math.max(allowed.absolute, 1e-30);
    const words = [
      length,
      cols,
      share,
      groups,
      ...[allowed.tolerance, allowed.relative, absolute, unitOf(precision) || 1, scale].map(
        floatBits,
      ),
      rows,
      base,
    ];
    const source = valuesSource(problem.dtype);
    const read = [guarded(judged.output), reference.want, ...norms];
    return {
      job: { source, read, words, bytes: 4 * RECORD_WORDS * groups, groups },
      answer: (results) => {
        const verdict = valuesVerdict(results, precision, { length, share, groups });
        if (verdict.right) return verdict.right;
        const { at, bound, gotBits, want, wrong } = verdict;
        const got = jsonNumber(elementOf(problem, gotBits));
        return { ...wrong, worst: { ...placeOf(base + at, cols), got, want, bound } };
      },
    };
  }

  #compareBits({ problem }: Case, judged: JudgedPart, reference: Reference): Question<Verdict> {
    const { length, base, cols, share, groups } = sharesOf(problem, judged.part);
    const source = bitsSource(problem.dtype);
    const read = [guarded(judged.output), reference.want];
    const answer = (results: ArrayBuffer): Verdict => {
      const records = new Uint32Array(results);
      let beyond = 0;
      let first = -1;
      for (let record = 0; record < BITS_RECORD_WORDS * groups; record += BITS_RECORD_WORDS) {
        const differing = records[record] ?? 0;
        if (first < 0 && differing > 0) first = record;
        beyond += differing;
      }
      const right = {
        method: 'device',
        checked: length,
        infinite: 0,
        rms: 0,
        reason: null,
      } as const;
      if (first < 0) return { ...right, beyond, worstRatio: 0, worst: null };
      const [at = 0, got = 0, want = 0] = records.subarray(first + 1, first + BITS_RECORD_WORDS);
      const worst = {
        ...placeOf(base + at, cols),
        got: jsonNumber(elementOf(problem, got)),
        want: jsonNumber(elementOf(problem, want)),
        bound: 0,
      };
      return { ...right, beyond, worstRatio: Number.POSITIVE_INFINITY, worst };
    };
    const bytes = 4 * BITS_RECORD_WORDS * groups;
    return { job: { source, read, words: [length, share, base], bytes, groups }, answer };
  }

  /** For kernels whose error grows beyond an element's own norms, the largest ones; else 0. */
  async #largestScale(
    { errorGrowth }: Case['kernel'],
    norms: readonly [GPUBuffer, GPUBuffer],
  ): Promise<number> {
    if (errorGrowth === undefined) return 0;
    let scale = 1;
    for (const buffer of norms) {
      const { bytes } = await download(this.#watch, buffer);
      scale *= new Float32Array(bytes).reduce((most, norm) => Math.max(most, norm), 0);
    }
    return scale;
  }

  #lengthOf(problem: Problem): number {
    return elements(opOf(problem).output(problem.shape));
  }
}

/** Whoever waits for it is told what went wrong; who does not has given up on all of it. */
function pending<T>(answer: Promise<T>): Pending<T> {
  answer.catch(() => undefined);
  return { answer };
}

/** An element by its bits, the lower ones of a word. */
function elementOf({ dtype }: Problem, bits: number): number {
  return DTYPES[dtype].fromDevice(new Uint32Array([bits]).buffer, 1)[0] ?? Number.NaN;
}

const placeOf = (at: number, cols: number) => ({ row: Math.floor(at / cols), col: at % cols });

function noRoom(error: unknown): never {
  throw error instanceof OutOfMemory ? new NoMemoryToVerify() : error;
}

/** Floats that are integers: compared as numbers, since zeros may have either sign. */
const isExactFloat = ({ problem, kernel }: Case, { choice }: Judged): boolean =>
  isExact(problem, choice) &&
  kernel.computes !== 'copy' &&
  !DTYPES[problem.dtype].isInteger &&
  opOf(problem).verification.norms !== undefined;

const valuesSource = sourceByDtype((dtype) => {
  const isHalf = DTYPES[dtype].element === 'f16';
  const [enable, halves] = isHalf ? ['enable f16;', 'f16'] : ['', 'f32'];
  return `${enable}\nalias H = ${halves};\nconst HALVES = ${isHalf};\n${compareValues}`;
});

const bitsSource = sourceByDtype(
  (dtype) => `const HALVES = ${DTYPES[dtype].element === 'f16'};\n${compareBits}`,
);
