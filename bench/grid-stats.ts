/** The value below which a part of them lies. Throws for none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  if (value === undefined) throw new Error('Nothing was measured.');
  return value;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Slope of a least-squares line through samples over time, a minute. */
export function perMinute<T extends { readonly atMs: number }>(
  samples: readonly T[],
  of: (sample: T) => number,
): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const minutes = samples.map((sample) => sample.atMs / 60_000);
  const values = samples.map(of);
  const [x, y] = [mean(minutes), mean(values)];
  const over = minutes.reduce((sum, at, i) => sum + (at - x) * ((values[i] ?? y) - y), 0);
  return over / minutes.reduce((sum, at) => sum + (at - x) ** 2, 0);
}
