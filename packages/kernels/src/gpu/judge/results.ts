import type { Pending } from '../../executor';
import { BINDING_ALIGNMENT, BufferUsage, MAP_READ } from '../buffers';
import { type BindingType, bindGroupLayoutOf, bindGroupOf, type Pipelines } from '../pipelines';
import type { DeviceWatch } from '../watch';

/** A dispatch that reads buffers and writes a few results. */
export interface Job {
  readonly source: string;
  /** Bindings 0 and up; the words and the results follow. */
  readonly read: readonly (GPUBuffer | GPUBufferBinding)[];
  /** The uniform: at most 64 words. */
  readonly words: readonly number[];
  /** Of the results, which begin as zeros. */
  readonly bytes: number;
  readonly groups: number;
}

/** A job, and what its results say. */
export interface Question<T> {
  readonly job: Job;
  answer(results: ArrayBuffer): T;
}

const aligned = (bytes: number) => Math.ceil(bytes / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;

/**
 * Runs small jobs together and returns their results: one submission and one wait for all of them,
 * in memory that is kept, because on many a system each buffer and each wait costs more than the
 * comparison of millions of elements.
 */
export class Results {
  readonly #watch: DeviceWatch;
  readonly #pipelines: Pipelines;
  #kept: { uniforms: GPUBuffer; results: GPUBuffer; staging: GPUBuffer } | null = null;
  /** The kept memory serves one call at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(watch: DeviceWatch, pipelines: Pipelines) {
    this.#watch = watch;
    this.#pipelines = pipelines;
  }

  /** Resolves once the jobs are submitted, after which what they read may be written over. */
  read(jobs: readonly Job[]): Promise<Pending<ArrayBuffer[]>> {
    const submitted = this.#turn.then(() => this.#submit(jobs));
    this.#turn = submitted.then(({ answer }) => answer).catch(() => undefined);
    return submitted;
  }

  /** @param read number of buffers that a job reads */
  async compile(source: string, read: number) {
    const bindings = Array.from({ length: read }, (): BindingType => 'read-only-storage');
    const layout = bindGroupLayoutOf(this.#watch.device, [...bindings, 'uniform', 'storage']);
    return { layout, ...(await this.#pipelines.compile(source, layout)) };
  }

  destroy(): void {
    for (const buffer of Object.values(this.#kept ?? {})) buffer.destroy();
    this.#kept = null;
  }

  async #submit(jobs: readonly Job[]): Promise<Pending<ArrayBuffer[]>> {
    const { device } = this.#watch;
    const offsets: number[] = [];
    let total = 0;
    for (const { bytes } of jobs) {
      offsets.push(total);
      total += aligned(bytes);
    }
    const prepared = await Promise.all(
      jobs.map(({ source, read }) => this.compile(source, read.length)),
    );
    const submitted = this.#watch.scoped('compare an output', () => {
      const { uniforms, results, staging } = this.#memory(jobs.length * BINDING_ALIGNMENT, total);
      const words = new Uint32Array((jobs.length * BINDING_ALIGNMENT) / 4);
      for (const [i, job] of jobs.entries()) words.set(job.words, (i * BINDING_ALIGNMENT) / 4);
      device.queue.writeBuffer(uniforms, 0, words);
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(results, 0, total);
      const pass = encoder.beginComputePass();
      for (const [i, { read, bytes, groups }] of jobs.entries()) {
        const { pipeline, layout } = prepared[i] ?? {};
        if (!pipeline || !layout) continue;
        const uniform = {
          buffer: uniforms,
          offset: i * BINDING_ALIGNMENT,
          size: BINDING_ALIGNMENT,
        };
        const result = { buffer: results, offset: offsets[i] ?? 0, size: bytes };
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindGroupOf(device, layout, [...read, uniform, result]));
        pass.dispatchWorkgroups(groups);
      }
      pass.end();
      encoder.copyBufferToBuffer(results, 0, staging, 0, total);
      device.queue.submit([encoder.finish()]);
      const mapped = this.#watch.settled(staging.mapAsync(MAP_READ, 0, total));
      // If the submission is invalid, that is what is thrown.
      mapped.catch(() => undefined);
      return { staging, mapped };
    });
    const answer = async () => {
      const { staging, mapped } = await submitted.catch((error: unknown) => {
        // The staging memory is mapped, or about to be: the next call gets another.
        this.destroy();
        throw error;
      });
      await mapped;
      const all = staging.getMappedRange(0, total);
      const results = jobs.map(({ bytes }, i) => all.slice(offsets[i], (offsets[i] ?? 0) + bytes));
      staging.unmap();
      return results;
    };
    return { answer: answer() };
  }

  /** The kept memory, made larger if it is too small. */
  #memory(uniformBytes: number, bytes: number) {
    const kept = this.#kept;
    if (kept && kept.uniforms.size >= uniformBytes && kept.results.size >= bytes) return kept;
    this.destroy();
    const { device } = this.#watch;
    const create = (size: number, usage: number) => device.createBuffer({ size, usage });
    const { COPY_DST, COPY_SRC, MAP_READ: MAPPED, STORAGE, UNIFORM } = BufferUsage;
    const least = Math.max(bytes, kept?.results.size ?? 0);
    this.#kept = {
      uniforms: create(Math.max(uniformBytes, kept?.uniforms.size ?? 0), UNIFORM | COPY_DST),
      results: create(least, STORAGE | COPY_SRC | COPY_DST),
      staging: create(least, MAPPED | COPY_DST),
    };
    return this.#kept;
  }
}
