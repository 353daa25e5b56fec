import { readdir, readFile } from 'node:fs/promises';

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

/** Linux counts a process's time in these, a second. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process and of those it has started, s, as Linux tells it. */
export async function cpuSeconds(pid: number): Promise<number> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/stat`, 'utf8').catch(() => null)),
  );
  const processes = stats.flatMap((stat) => {
    if (stat === null) return [];
    // After the name, which may hold anything, in brackets: state, parent, ... times at 11 to 14.
    const [, id = '', rest = ''] = /^(\d+) \(.*\) (.*)$/s.exec(stat) ?? [];
    const fields = rest.split(' ').map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return [{ id: Number(id), parent: fields[1] ?? 0, ticks }];
  });
  const sum = (of: number): number =>
    processes
      .filter(({ parent }) => parent === of)
      .reduce(
        (total, { id }) => total + sum(id),
        processes.find(({ id }) => id === of)?.ticks ?? 0,
      );
  return sum(pid) / TICKS_PER_SECOND;
}
