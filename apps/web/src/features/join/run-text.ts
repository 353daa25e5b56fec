import type { Step } from '@tilemark/core';
import { shapeText, variantAddress } from '@tilemark/kernels';
import { formatShape } from '@/ui/format';
import type { LendingState } from './lending';

const STEPS = {
  compile: 'compiling',
  verify: 'checking the output',
  'warm-up': 'warming up',
  cold: 'measuring',
  hot: 'measuring in cache',
  energy: 'measuring energy',
  'verify-again': 'checking again',
  trial: 'trying',
  roof: 'measuring the peak',
} as const satisfies Record<Step, string>;

/** What a tab is doing. */
export const runText = ({ variant, problem, step }: NonNullable<LendingState['run']>): string =>
  `${variantAddress(variant)}, ${formatShape(shapeText(problem))} ${problem.dtype}: ${step ? STEPS[step] : 'starting'}…`;
