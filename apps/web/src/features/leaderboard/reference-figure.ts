import type { ReferenceFigure, RunResult } from '@tilemark/core';

/**
 * Whether a figure was taken from a result. What ships has fewer digits than an imported file, since a bundler
 * may shorten them.
 */
export const isSameFigure = (
  { by, rate }: Pick<ReferenceFigure, 'by' | 'rate'>,
  result: Pick<RunResult, 'address' | 'rate'>,
): boolean =>
  by.kind !== 'library' &&
  by.address === result.address &&
  rate.value.toPrecision(9) === result.rate?.value.toPrecision(9);
