import { z } from 'zod';
import { dtypeSchema } from './spec';

const rate = z.number().positive();

/** What a device can do at most, as probes found it. */
export const rooflineSurveySchema = z.object({
  /** Copies by working set (half read, half written), smallest first; bytes of both count. */
  copies: z.array(z.object({ bytes: z.number().int().positive(), gigabytesPerSecond: rate })),
  /** What the copies say of the last-level cache, see `impliedCacheBytes`; null: nothing. */
  lastLevelCacheBytes: z.number().int().positive().nullable(),
  /** Multiply-adds in registers, two operations each. */
  peaks: z.array(z.object({ dtype: dtypeSchema, gigaflopsPerSecond: rate })),
});
export type RooflineSurvey = z.infer<typeof rooflineSurveySchema>;

/** A cache that is not this much faster than memory cannot be told from it. */
const FASTER_THAN_MEMORY = 1.3;

/**
 * The largest working set that the last-level cache holds, by powers of two: of those
 * copied faster than the geometric mean of the fastest copy and of memory, which the
 * largest working set stands for. The cache itself is of that size or up to twice as
 * large. Null where no copy is faster than memory by 30%.
 */
export function impliedCacheBytes(copies: RooflineSurvey['copies']): number | null {
  const memory = copies.at(-1)?.gigabytesPerSecond;
  if (memory === undefined) return null;
  const fastest = Math.max(...copies.map((copy) => copy.gigabytesPerSecond));
  if (fastest < FASTER_THAN_MEMORY * memory) return null;
  const between = Math.sqrt(fastest * memory);
  return copies.findLast((copy) => copy.gigabytesPerSecond > between)?.bytes ?? null;
}
