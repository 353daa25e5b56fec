import { median } from 'd3-array';
import { z } from 'zod';

/** A result that lies far from what the same device and driver gave of the same run before and since. */
export const outlierSchema = z.object({
  /** From the median of the others, in their median absolute deviations; negative is faster. */
  deviations: z.number(),
  /** Of the others, ns. */
  medianNs: z.number().positive(),
  others: z.number().int().positive(),
});
export type Outlier = z.infer<typeof outlierSchema>;

/** Further away than this is flagged. Flagged results stay ranked: a driver may have changed in fact. */
const MAX_DEVIATIONS = 5;

/** Fewer others have no spread to speak of. */
const LEAST_OTHERS = 5;

/** The least deviation that counts, relative: five of them are the 0.5% below which two times are the SAME. */
const LEAST_DEVIATION = 0.001;

/** Whether a median lies more than 5 MAD from those of other runs of the same; null where it does not. */
export function outlierOf(medianNs: number, othersNs: readonly number[]): Outlier | null {
  const center = median(othersNs);
  if (center === undefined || othersNs.length < LEAST_OTHERS) return null;
  const spread = median(othersNs, (other) => Math.abs(other - center)) ?? 0;
  const deviations = (medianNs - center) / Math.max(spread, LEAST_DEVIATION * center);
  if (Math.abs(deviations) <= MAX_DEVIATIONS) return null;
  return { deviations, medianNs: center, others: othersNs.length };
}
