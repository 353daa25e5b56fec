import type { RunResult } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';

/** The command that measures the same thing on the reader's own machine. */
export function reproduceCommand({
  address,
  policy,
  problem,
  profile,
  variant,
}: Pick<RunResult, 'address' | 'variant' | 'problem' | 'profile' | 'policy'>): string {
  const tunables = /\[(.*)\]$/.exec(address)?.[1];
  return [
    'npx tilemark bench',
    `--kernel ${variant.kernel}`,
    ...(tunables ? [`--tunable ${tunables}`] : []),
    `--shape ${shapeText(problem)}`,
    `--dtype ${problem.dtype}`,
    `--profile ${profile}`,
    ...(policy === 'default' ? [] : [`--policy ${policy}`]),
  ].join(' ');
}
