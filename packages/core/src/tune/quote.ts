/**
 * A quote: what one source says of the time of a variant on a problem. A result of this grid, the
 * winner of a search, a choice that ships and a prediction differ in their error alone, so one rule
 * chooses among them: the least expected time.
 */
import type { z } from 'zod';
import type { quoteSchema } from '../api/best';
import type { Point } from './space';

export type Quote = z.output<typeof quoteSchema> & Point;

/**
 * The time to expect where ln(time) is normal with median ln(ns) and standard deviation `error`: the
 * mean of a log-normal, ns exp(error^2 / 2) (N. L. Johnson et al., Continuous Univariate
 * Distributions 1, 1994, 14.3). So a time that is known well comes before a promise of the same.
 * Where a fifth to a half of a shape's times are known, this chooses 0.3 to 4% better than the slow
 * end of the error, ns (1 + 2 error), in the mean (NVIDIA H200, four of five dtypes, 2026-11-29).
 */
export const expectedNs = ({ ns, error }: Pick<Quote, 'ns' | 'error'>): number =>
  ns * Math.exp(error ** 2 / 2);
