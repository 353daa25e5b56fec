import { ReferenceWrong } from '../../errors';
import { ceilDiv, type Rows } from '../../numbers';
import { DTYPES } from '../../problem/dtype';
import { finishedWgsl } from '../../problem/epilogue';
import { opOf, storedOf } from '../../problem/ops';
import type { Problem } from '../../problem/problem';
import { shapeText } from '../../problem/shape';
import { vectorReaderOf } from '../../problem/storage';
import type { StoredTensor } from '../../problem/tensors';
import { nowNs } from '../../timing';
import { choiceKey, modeOf, REGIME_SEED } from '../../verify/fills';
import { GUARD_BYTES } from '../../verify/poison';
import type { Lines } from '../../verify/verification';
import { BufferUsage, contentOf, createConstants } from '../buffers';
import { bindGroupLayoutOf, bindGroupOf, type Pipelines } from '../pipelines';
import type { DeviceWatch } from '../watch';
import { type Audit, beginAudit, type Wanted } from './audit';
import { partsOf } from './shares';

/** The expected part of an output for one choice of inputs, in memory that no kernel under test has bound. */
export interface Reference {
  /** That part: f32 for all floats where the op sums, else elements. */
  readonly want: GPUBuffer;
  /** Norms by row and by column of the output; null where nothing rounds. */
  readonly norms: readonly [GPUBuffer, GPUBuffer] | null;
}

/** Most memory in references that are kept. A larger one is made in parts. */
const KEPT_BYTES = 512 * 2 ** 20;

/** Most memory of one whose inputs every run of its problem has: it is kept beside the others. */
const LASTING_BYTES = KEPT_BYTES / 8;

/** A dispatch takes about this long, s: far below what makes a system kill it. */
const DISPATCH_S = 0.05;

/** Multiply-adds of the first dispatch: 50 ms of a slow software GPU. */
const FIRST_WORK = 2 ** 25;

/** Sides of what a workgroup writes. */
const BLOCK = 64;

/** Workgroups in one dimension that every device can dispatch. */
const MAX_GROUPS = 65_535;

/** A problem, and what a kernel computes of it. */
type Subject = Pick<Wanted, 'problem' | 'computes'>;

type Workgroups = readonly [x: number, y: number, z: number];

/** A dispatch that makes a reference, or a part of one. */
interface Job {
  readonly source: string;
  readonly inputs: readonly GPUBuffer[];
  readonly target: GPUBuffer;
  readonly words: readonly number[];
  readonly groups: Workgroups;
}

/**
 * References of one problem by their inputs, made on the device. The first of each class of shapes
 * is audited against f64 on the host, where secret rows and columns meet.
 */
export class References {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;
  /** By their inputs, the last used last. */
  readonly #kept = new Map<string, Reference>();
  /** Of inputs that every run of the problem has. */
  readonly #lasting = new Map<string, Reference>();
  /** Classes of shapes, and those whose audit has not ended. */
  readonly #audited = new Set<string>();
  readonly #begun = new Map<string, Audit>();
  #problem = '';
  /** How many of this problem one verdict compared with, at most: so many are kept. */
  #atOnce = 1;
  /** Multiply-adds of the next dispatch, by what the last ones took. */
  #work = FIRST_WORK;

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#pipelines = pipelines;
  }

  /**
   * The parts of a problem's output that have a reference each.
   *
   * @param mostWork multiply-adds of one
   */
  parts(problem: Problem, mostWork = Number.POSITIVE_INFINITY): Rows[] {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.#watch.device.limits;
    const ofWork = (4 * mostWork) / opOf(problem).verification.steps(problem.shape);
    const most = Math.min(maxStorageBufferBindingSize, maxBufferSize, KEPT_BYTES, ofWork);
    return partsOf(problem, most, BLOCK);
  }

  /**
   * Makes room for a problem's references, and starts to compile what they take, all at once; errors
   * come from `get`.
   */
  compileAhead(subject: Subject): void {
    this.#turnTo(subject);
    const { problem, computes } = subject;
    if (computes === 'copy') return;
    const { norms } = opOf(problem).verification;
    const tensors = storedInputs(problem);
    this.#compile(referenceSource(problem), partsIn(tensors)).catch(() => undefined);
    if (!norms || DTYPES[problem.dtype].isInteger) return;
    for (const tensor of tensors) {
      const source = normsSource(tensor, norms.wgsl);
      this.#compile(source, tensor.parts.length).catch(() => undefined);
    }
  }

  /**
   * Begins the audit of the first of its class (`audit`).
   *
   * @param atOnce how many the same verdict compares with
   */
  async get(wanted: Wanted, atOnce: number): Promise<Reference> {
    const { choice, part } = wanted;
    this.#turnTo(wanted);
    this.#atOnce = Math.max(this.#atOnce, atOnce);
    const inputsKey = `${choiceKey(choice)} ${part.first} ${part.end}`;
    const kept = this.#lasts(wanted) ? this.#lasting : this.#kept;
    const cached = kept.get(inputsKey);
    if (cached) {
      // The last in line to make room: it is about to be used, with others that may be new.
      kept.delete(inputsKey);
      kept.set(inputsKey, cached);
      return cached;
    }
    const reference = await this.#make(wanted, this.#makeRoom());
    kept.set(inputsKey, reference);
    try {
      await this.#beginAudit(wanted, reference);
    } catch (error) {
      // Kept, it would be taken for audited.
      drop(kept, inputsKey);
      throw error;
    }
    return reference;
  }

  /** Ends the audits under way. Throws ReferenceWrong. */
  async audit(): Promise<void> {
    for (const [name, audit] of this.#begun) {
      this.#begun.delete(name);
      const wrong = await audit.wrongElement();
      if (wrong) {
        // Kept, they would be taken for audited.
        this.destroy();
        const { row, col, got, want } = wrong;
        throw new ReferenceWrong(
          `the reference is wrong on this device: element [${row}, ${col}] is ${got}, should be ${want}`,
        );
      }
      this.#audited.add(name);
    }
  }

  destroy(): void {
    for (const kept of [this.#kept, this.#lasting]) {
      for (const key of kept.keys()) drop(kept, key);
    }
    for (const audit of this.#begun.values()) audit.abandon();
    this.#begun.clear();
    this.#problem = '';
    this.#atOnce = 1;
  }

  /** Gives up those of another problem: there is memory for those of one. */
  #turnTo(subject: Subject): void {
    const key = keyOf(subject);
    if (key !== this.#problem) this.destroy();
    this.#problem = key;
  }

  /** How many of a problem one verdict can compare with. */
  capacity(problem: Problem): number {
    const [largest = { first: 0, end: 1 }] = this.parts(problem);
    const { cols } = opOf(problem).output(problem.shape);
    return Math.max(1, Math.floor(KEPT_BYTES / (4 * cols * (largest.end - largest.first))));
  }

  #lasts({ problem, choice }: Wanted): boolean {
    return choice.seed === REGIME_SEED && this.capacity(problem) * LASTING_BYTES >= KEPT_BYTES;
  }

  /** The oldest, where no more are kept: its memory is for the next, since to allocate some takes milliseconds. */
  #makeRoom(): Reference | null {
    const [oldest] = this.#kept;
    if (!oldest || this.#kept.size < this.#atOnce) return null;
    this.#kept.delete(oldest[0]);
    return oldest[1];
  }

  /** @param spare memory to be used, or given back */
  async #make(wanted: Wanted, spare: Reference | null): Promise<Reference> {
    const { problem, computes, inputs, part } = wanted;
    const { device } = this.#watch;
    const { isInteger, bytes } = DTYPES[problem.dtype];
    const { norms } = opOf(problem).verification;
    const { cols } = opOf(problem).output(problem.shape);
    const length = (part.end - part.first) * cols;
    const sums = norms !== undefined && computes !== 'copy';
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const create = (size: number) => device.createBuffer({ size, usage });
    const tensors = storedInputs(problem);
    const orders = tensors.map(({ order }) => order);
    const lines = sums && !isInteger ? norms.lines(problem.shape, orders) : null;
    const size = Math.ceil(((sums ? 4 : bytes) * length) / 4) * 4;
    const isLarge = spare !== null && spare.want.size >= size && !spare.norms === !lines;
    if (!isLarge) destroyReference(spare);
    const reference = isLarge
      ? spare
      : await this.#watch.scoped('allocate a reference', () => ({
          want: create(size),
          norms: lines && ([create(4 * lines[0].count), create(4 * lines[1].count)] as const),
        }));
    const [source] = inputs;
    if (computes === 'copy') {
      if (source) this.#copy(source, reference.want, part.first * cols * bytes, size);
      return reference;
    }
    const ofLines = (lines ?? []).flatMap((line, i) => {
      const tensor = tensors[line.input];
      const target = reference.norms?.[i];
      if (!tensor || !target || !norms) return [];
      const first = partsIn(tensors.slice(0, line.input));
      const parts = inputs.slice(first, first + tensor.parts.length);
      return normsJob(normsSource(tensor, norms.wgsl), line, parts, target);
    });
    await this.#multiply(wanted, reference.want, ofLines);
    return reference;
  }

  #copy(input: GPUBuffer, want: GPUBuffer, from: number, bytes: number): void {
    const encoder = this.#watch.device.createCommandEncoder();
    encoder.copyBufferToBuffer(input, GUARD_BYTES + from, want, 0, bytes);
    this.#watch.device.queue.submit([encoder.finish()]);
  }

  /**
   * Computes a reference in dispatches that stay short on any device. The last is submitted with other
   * jobs and not waited for: whatever reads a reference comes after it.
   */
  async #multiply(wanted: Wanted, want: GPUBuffer, others: readonly Job[]): Promise<void> {
    const { problem, part } = wanted;
    const op = opOf(problem);
    const { rows, cols } = op.output(problem.shape);
    const perProblem = rows / op.batch(problem.shape);
    const steps = opOf(problem).verification.steps(problem.shape);
    const top = (part.first % perProblem) / BLOCK;
    const down = ceilDiv(
      Math.min((part.first % perProblem) + part.end - part.first, perProblem),
      BLOCK,
    );
    const across = ceilDiv(cols, BLOCK);
    const batch = ceilDiv(part.end, perProblem);
    const start = Math.floor(part.first / perProblem);
    let left = (batch - start) * (down - top) * across;
    /** As many of what is left as fit into a dispatch, `size` blocks each. */
    const some = (left: number, size: number) =>
      Math.min(left, Math.max(1, Math.floor(this.#blocks(steps) / size)), MAX_GROUPS);
    for (let first = start; first < batch; ) {
      const deep = some(batch - first, (down - top) * across);
      for (let row = top; row < down; ) {
        const height = some(down - row, deep * across);
        for (let col = 0; col < across; ) {
          const width = some(across - col, deep * height);
          const at = [row * BLOCK, col * BLOCK] as const;
          left -= width * height * deep;
          const groups = [width, height, deep] as const;
          await this.#sum(wanted, want, [...at, first], groups, left === 0 ? others : null);
          col += width;
        }
        row += height;
      }
      first += deep;
    }
  }

  /**
   * All steps of some blocks, in dispatches one after the other.
   *
   * @param others jobs that the last is submitted with; null if it is not the last of all
   */
  async #sum(
    { problem, inputs, part }: Wanted,
    want: GPUBuffer,
    [row, col, product]: readonly [number, number, number],
    groups: Workgroups,
    others: readonly Job[] | null,
  ): Promise<void> {
    const { sides, output } = opOf(problem);
    const base = part.first * output(problem.shape).cols;
    const steps = opOf(problem).verification.steps(problem.shape);
    const blocks = groups.reduce((all, group) => all * group, 1);
    const source = referenceSource(problem);
    for (let first = 0; first < steps; ) {
      const end = Math.min(first + this.#stepsOf(blocks), steps);
      const began = nowNs();
      const words = [row, col, first, end, ...sides(problem.shape), product, base];
      const job = { source, inputs, target: want, words, groups };
      if (others && end === steps) return this.#run([job, ...others]);
      await this.#run([job]);
      await this.#watch.idle();
      this.#learn(blocks * BLOCK ** 2 * (end - first), nowNs() - began);
      first = end;
    }
  }

  /** Blocks of the next dispatch, with all of their steps. */
  #blocks(steps: number): number {
    return Math.max(1, Math.floor(this.#work / (BLOCK ** 2 * steps)));
  }

  /** Steps of the next dispatch of some blocks: a multiple of 256, so that none of their blocks is cut. */
  #stepsOf(blocks: number): number {
    return 256 * Math.max(1, Math.floor(this.#work / (blocks * BLOCK ** 2 * 256)));
  }

  /** The next dispatch should take `DISPATCH_S`; one says little about another sixteen times as large. */
  #learn(work: number, ns: number): void {
    const wanted = (work * DISPATCH_S * 1e9) / Math.max(ns, 1);
    const [least, most] = [this.#work / 16, this.#work * 16];
    // A dispatch that was smaller than allowed, for want of work, does not lower what is.
    if (work < this.#work / 2 && wanted < this.#work && ns < DISPATCH_S * 1e9) return;
    this.#work = Math.max(Math.min(Math.max(wanted, least), most), FIRST_WORK / 16);
  }

  /** Submits jobs together, since each submission takes the host longer than small ones the device. */
  async #run(jobs: readonly Job[]): Promise<void> {
    const { device } = this.#watch;
    const compiled = await Promise.all(
      jobs.map(async (job) => ({
        ...job,
        ...(await this.#compile(job.source, job.inputs.length)),
        uniform: createConstants(device, { type: 'uniform', words: job.words }),
      })),
    );
    await this.#watch.scoped('compute a reference', () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      for (const { pipeline, layout, inputs, target, uniform, groups } of compiled) {
        const bound = [...inputs.map(contentOf), target, uniform];
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindGroupOf(device, layout, bound));
        pass.dispatchWorkgroups(...groups);
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
    });
    for (const { uniform } of compiled) uniform.destroy();
  }

  async #compile(source: string, inputs: number) {
    const read = Array.from({ length: inputs }, () => 'read-only-storage' as const);
    const layout = bindGroupLayoutOf(this.#watch.device, [...read, 'storage', 'uniform']);
    return { layout, ...(await this.#pipelines.compile(source, layout)) };
  }

  /** Of the first reference of a class of shapes. */
  async #beginAudit(wanted: Wanted, { want }: Reference): Promise<void> {
    const name = classOf(wanted);
    if (this.#audited.has(name) || this.#begun.has(name) || !isAuditable(wanted)) return;
    this.#begun.set(name, await beginAudit(this.#watch, wanted, want));
  }
}

function drop(kept: Map<string, Reference>, key: string): void {
  destroyReference(kept.get(key));
  kept.delete(key);
}

function destroyReference(reference: Reference | null | undefined): void {
  for (const buffer of [reference?.want, ...(reference?.norms ?? [])]) buffer?.destroy();
}

const storedInputs = (problem: Problem): readonly StoredTensor[] => storedOf(problem).inputs;

const partsIn = (tensors: readonly StoredTensor[]): number =>
  tensors.reduce((sum, { parts }) => sum + parts.length, 0);

/** Whether a problem's reference reads its inputs four elements at a time. */
const areVectors = (problem: Problem): boolean =>
  opOf(problem).verification.vectors?.(
    problem.shape,
    storedInputs(problem).map(({ order }) => order),
  ) ?? false;

/** Declares tensors by name, from binding 0 on, with what reads their elements as S. */
function readersOf(tensors: readonly StoredTensor[], s: string, vectors = false): string {
  const parts = tensors.flatMap((tensor) => tensor.parts);
  const extensions = parts.flatMap(({ item }) => item.feature?.wgslExtension ?? []);
  return [
    ...[...new Set(extensions)].map((extension) => `enable ${extension};`),
    `alias S = ${s};`,
    `const INPUTS = ${parts.length};`,
    `const VECTORS = ${vectors};`,
    ...tensors.map(({ name, order }) => `const ${name}_TRANSPOSED = ${order === 'transposed'};`),
    ...tensors.map(({ name, storage }, at) =>
      vectorReaderOf(name, storage, partsIn(tensors.slice(0, at)), vectors),
    ),
  ].join('\n');
}

function referenceSource(problem: Problem): string {
  const { element, isInteger, sums } = DTYPES[problem.dtype];
  const { norms, reference } = opOf(problem).verification;
  const s = norms ? (isInteger ? sums : 'f32') : element;
  const readers = readersOf(storedInputs(problem), s, areVectors(problem));
  return [readers, finishedWgsl(problem), reference].join('\n');
}

function normsJob(
  source: string,
  { count, each, length, pitch, step }: Lines,
  inputs: readonly GPUBuffer[],
  target: GPUBuffer,
): Job {
  const groups = [Math.min(ceilDiv(count, 16), MAX_GROUPS), 1, 1] as const;
  return { source, inputs, target, words: [count, each, length, pitch, step], groups };
}

const normsSource = (tensor: StoredTensor, wgsl: string): string =>
  [readersOf([{ ...tensor, name: 'matrix' }], 'f32'), wgsl].join('\n');

const keyOf = ({ problem, computes }: Subject): string =>
  [problem.op, shapeText(problem), problem.dtype, problem.regime, problem.epilogue, computes].join(
    ' ',
  );

/** The host's sums round on scaled inputs, and do not wrap: other inputs audit the same shader. */
const isAuditable = ({ problem, computes, choice }: Wanted): boolean =>
  computes === 'copy' ||
  opOf(problem).verification.norms === undefined ||
  !['scaled', 'bits'].includes(modeOf(problem, choice));

/** Shapes that the reference's code treats alike: of the same magnitudes, divided by its blocks and vectors or not. */
function classOf({ problem, computes }: Subject): string {
  const sizes = opOf(problem).sizes(problem.shape);
  const magnitudes = sizes.map(
    (size) => `${Math.floor(Math.log2(size))}${size % BLOCK ? '+' : ''}`,
  );
  const read = areVectors(problem) ? 'vectors' : 'elements';
  return [problem.op, computes, problem.dtype, problem.epilogue, read, ...magnitudes].join(' ');
}
