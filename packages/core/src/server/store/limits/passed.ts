import { type Limiters, type Wait, waitFor } from './limiters';

/** What `takeRequest` would answer next once the limit is reached; counts nothing. */
export async function limitPassed(
  limiterOf: Limiters,
  key: string,
  perMinute: number,
): Promise<Wait | null> {
  const counted = await limiterOf(perMinute).get(key);
  return counted && counted.consumedPoints >= perMinute ? waitFor(counted) : null;
}
