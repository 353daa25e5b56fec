import { wholeBytes } from '../bytes';
import type { Dtype } from '../problem/dtype';
import type { Epilogue } from '../problem/epilogue';
import { type OpId, opById, storedOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import { constantsOf, type GpuKernel, type TunableValues } from './kernel';

/** A buffer that a kernel binds. */
interface BoundBuffer {
  /** `A`, `B_scales`, `C`, `shape`, `scratch`. */
  readonly name: string;
  readonly type: 'read-only-storage' | 'storage' | 'uniform';
  readonly bytes: number;
  readonly isOutput: boolean;
  /** Of constants: their words. */
  readonly values?: readonly number[];
}

/** The number of each binding, for those who write shaders. */
export function bindingNumbers(
  op: OpId,
  dtype: Dtype,
  epilogue?: Epilogue,
): Readonly<Record<string, number>> {
  const shape = opById(op).square(1);
  const { inputs, output } = storedOf({ op, shape, dtype, epilogue } as Problem);
  const parts = [...inputs, output].flatMap((tensor) => tensor.parts);
  const names = [...parts.map(({ binding }) => binding), 'shape', 'scratch'];
  return Object.fromEntries(names.map((name, at) => [name, at]));
}

/**
 * A kernel's bindings in order, which numbers them: each part of each input, the output, constants such as
 * the shape, and the memory that its dispatches share, if it has any.
 */
export function bindingsOf(
  kernel: GpuKernel,
  tunables: TunableValues,
  problem: Problem,
): readonly BoundBuffer[] {
  const { inputs, output } = storedOf(problem);
  const scratch = kernel.scratchBytes?.(tunables, problem) ?? 0;
  const partsOf = ({ parts }: typeof output, type: 'read-only-storage' | 'storage') =>
    parts.map(({ binding, bytes }) => ({
      name: binding,
      type,
      bytes: wholeBytes(bytes),
      isOutput: type === 'storage',
    }));
  return [
    ...inputs.flatMap((tensor) => partsOf(tensor, 'read-only-storage')),
    ...partsOf(output, 'storage'),
    ...constantsOf(kernel, tunables, problem).map(({ type, words, bytes = 4 * words.length }) => ({
      name: 'shape',
      type,
      bytes: wholeBytes(bytes),
      isOutput: false,
      values: Array.from(words),
    })),
    ...(scratch > 0
      ? [{ name: 'scratch', type: 'storage' as const, bytes: wholeBytes(scratch), isOutput: false }]
      : []),
  ];
}
