import { messageOf, requestWholeDevice } from '@tilemark/core';
import { checkKernel } from '@tilemark/core/contributed';
import {
  defaultsOf,
  featuresOf,
  featureText,
  type GpuKernel,
  InputError,
  type KernelFile,
  type Problem as KernelProblem,
  opById,
  passesOf,
  specialise,
} from '@tilemark/kernels';

/** What is wrong with a kernel that is being written, where it is known. */
export interface Problem {
  /** 1-based line of the source; null: of the file as a whole, or of a manifest beside it. */
  readonly line: number | null;
  readonly column?: number;
  readonly message: string;
  readonly isWarning?: boolean;
}

/** What a browser found out about a kernel. */
export interface Checked {
  readonly problems: readonly Problem[];
  /** Null: the file cannot be read as a kernel. */
  readonly kernel: GpuKernel | null;
  /** Whether it compiled here, or why nobody tried; null while it is compiled. */
  readonly compiled: 'yes' | 'no' | string | null;
}

/** A file as the page has it: whose it will be, the server knows. */
export type Draft = Omit<KernelFile, 'author'>;

/**
 * Everything that can be said without a compiler: at once, as the server will say it.
 *
 * @param hasWebGpu whether this browser may have a compiler
 */
export function readDraft(draft: Draft, hasWebGpu = true): Checked {
  try {
    const { kernel } = checkKernel({ ...draft, author: 'you' });
    return { problems: [], kernel, compiled: hasWebGpu ? null : 'This browser has no WebGPU' };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return {
      problems: [problemAt(error.field, error.message, draft)],
      kernel: null,
      compiled: 'no',
    };
  }
}

/** A refusal by its field, `wgsl:12` or `manifest.covers.rows`, at the line it is about. */
export function problemAt(field: string, message: string, { source, manifest }: Draft): Problem {
  const [, line] = /^wgsl:(\d+)$/.exec(field) ?? [];
  if (line !== undefined) return { line: Number(line), message };
  if (!field.startsWith('manifest') || manifest !== undefined) return { line: null, message };
  // The manifest is the first comment: follow the path by its names.
  let at = 0;
  for (const name of field.split(/[.[\]]+/).slice(1)) {
    const next = source.indexOf(`"${name}"`, at);
    if (next >= 0) at = next;
  }
  return { line: source.slice(0, at).split('\n').length, message };
}

let device: Promise<GPUDevice | string> | null = null;

/** The visitor's own device, or why there is none. */
export function browserDevice(): Promise<GPUDevice | string> {
  device ??= (async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) return 'WebGPU finds no GPU in this browser';
    const opened = (await requestWholeDevice(adapter, navigator.gpu)).device;
    void opened.lost.then(() => {
      device = null;
    });
    return opened;
  })().catch((error: unknown) => `This browser’s GPU does not answer (${messageOf(error)})`);
  return device;
}

/** Compiles a kernel's defaults in every dtype by the visitor's own browser. Runs nothing. */
export async function compile(kernel: GpuKernel, source: string): Promise<Omit<Checked, 'kernel'>> {
  const opened = await browserDevice();
  if (typeof opened === 'string') return { problems: [], compiled: opened };
  const values = defaultsOf(kernel.tunables);
  const remarks = new Map<string, Problem>();
  for (const dtype of kernel.dtypes) {
    const missing = featuresOf(kernel, values, dtype).find((name) => !opened.features.has(name));
    if (missing)
      return { problems: [], compiled: `This browser’s GPU lacks ${featureText(missing)}` };
    const code = specialise(kernel, values, dtype);
    const lines = source.split('\n').length;
    opened.pushErrorScope('validation');
    const module = opened.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    await opened.popErrorScope();
    const problems = messages.map(
      ({ lineNum, linePos, message, type }): Problem => ({
        line: lineNum <= lines ? lineNum : null,
        column: linePos,
        message,
        isWarning: type !== 'error',
      }),
    );
    if (problems.some(({ isWarning }) => !isWarning)) return { problems, compiled: 'no' };
    for (const problem of problems) remarks.set(JSON.stringify(problem), problem);
    const problem = {
      op: kernel.op,
      shape: opById(kernel.op).square(64),
      dtype,
    } as KernelProblem;
    try {
      for (const { entryPoint } of passesOf(kernel, values, problem)) {
        await opened.createComputePipelineAsync({
          layout: 'auto',
          compute: { module, entryPoint },
        });
      }
    } catch (error) {
      return { problems: [{ line: null, message: messageOf(error) }], compiled: 'no' };
    }
  }
  return { problems: [...remarks.values()], compiled: 'yes' };
}
