import type { GpuKernel, Pass, TunableValues } from './kernel';
import type { Problem } from './problem';

/** Every dispatch of one run of a kernel, in order. */
export function passesOf(
  kernel: GpuKernel,
  values: TunableValues,
  problem: Problem,
): readonly Pass[] {
  return [
    {
      entryPoint: kernel.entryPoint?.(values, problem) ?? 'main',
      workgroups: kernel.workgroups(values, problem),
    },
    ...(kernel.followUps?.(values, problem) ?? []),
  ];
}
