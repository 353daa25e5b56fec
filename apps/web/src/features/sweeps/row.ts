import type { DeviceRef, Headline } from '@tilemark/core';
import { opOf, type Problem, shapeText, type TunableValues } from '@tilemark/kernels';
import { threadsOf } from '../kernels/workgroup';
import type { OutcomeKind } from '../results/outcome';
import { arithmeticIntensity, type RoofShare, roofShare } from '../results/roof';

/** What the page of a sweep shows of a run: a headline with what follows from it. */
export interface Row {
  readonly runId: string;
  readonly resultId: string | null;
  readonly address: string;
  readonly kernel: string;
  readonly tunables: TunableValues;
  readonly op: Problem['op'];
  /** `512` or `512x256x128`. */
  readonly shape: string;
  /** Operations of one run (matmul) or elements moved (transpose): orders shapes by size. */
  readonly size: number;
  readonly dtype: Problem['dtype'];
  readonly device: DeviceRef;
  readonly profile: Headline['profile'];
  readonly kind: OutcomeKind;
  readonly reason: string | null;
  readonly medianNs: number | null;
  readonly lowNs: number | null;
  readonly highNs: number | null;
  readonly rate: number | null;
  /** Null where nothing was measured or the device has no probes. */
  readonly roof: RoofShare | null;
  readonly flopPerByte: number;
  readonly unit: string;
  /** Threads of a workgroup; null for host kernels and kernels that have left the registry. */
  readonly threads: number | null;
  /** When it was measured, ms since 1970; null until it has been. */
  readonly endedAt: number | null;
}

/** What a row has of its problem alone. */
type OfProblem = Pick<Row, 'op' | 'shape' | 'size' | 'dtype' | 'flopPerByte' | 'unit'>;

function ofProblem(problem: Problem): OfProblem {
  const op = opOf(problem);
  return {
    op: problem.op,
    shape: shapeText(problem),
    size: op.sizes(problem.shape).reduce((product, size) => product * size, 1),
    dtype: problem.dtype,
    flopPerByte: arithmeticIntensity(problem),
    unit: op.rateUnit,
  };
}

/** The rows of some runs. What follows from a problem or a variant is found once for all of its runs. */
export function rowsOf(headlines: readonly Headline[]): Row[] {
  const problems = new Map<Problem, OfProblem>();
  const threads = new Map<string, number | null>();
  return headlines.map((headline) => {
    const { address, device, endedAtMs, kind, problem, profile, reason, resultId, runId, variant } =
      headline;
    const { roof, time } = headline;
    const facts = problems.get(problem) ?? ofProblem(problem);
    problems.set(problem, facts);
    const sized = `${problem.dtype} ${address}`;
    if (!threads.has(sized)) threads.set(sized, threadsOf(variant, problem.dtype));
    // A literal of all fields: spreading takes longer than all the rest together.
    return {
      runId,
      resultId,
      address,
      kernel: variant.kernel,
      tunables: variant.tunables,
      op: facts.op,
      shape: facts.shape,
      size: facts.size,
      dtype: facts.dtype,
      device,
      profile,
      kind,
      reason,
      medianNs: time?.medianNs ?? null,
      lowNs: time?.lowNs ?? null,
      highNs: time?.highNs ?? null,
      rate: time && opOf(problem).rate(problem, time.medianNs),
      roof: time && roofShare(roof, time.medianNs),
      flopPerByte: facts.flopPerByte,
      unit: facts.unit,
      threads: threads.get(sized) ?? null,
      endedAt: endedAtMs,
    };
  });
}

/** The row of one run. */
export function rowOf(headline: Headline): Row {
  const [row] = rowsOf([headline]);
  if (!row) throw new RangeError('A run has a row.');
  return row;
}

/** What must be equal for two rows to be compared: the problem, the device and the profile. */
export const groupKey = ({ device, dtype, op, profile, shape }: Row): string =>
  [op, shape, dtype, profile, device.key].join(' ');

/** Rows by `groupKey`, in the order of their first row. */
export function groupRows(rows: readonly Row[]): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = groupKey(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/**
 * Speed-up of each measured row over the fastest naive kernel of its group, by
 * run id. Rows of groups in which naive was not measured are left out.
 */
export function speedups(rows: readonly Row[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const group of groupRows(rows).values()) {
    const naive = group
      .filter((row) => row.kernel === `${row.op}/naive`)
      .flatMap((row) => row.medianNs ?? []);
    if (naive.length === 0) continue;
    const base = Math.min(...naive);
    for (const row of group) if (row.medianNs !== null) found.set(row.runId, base / row.medianNs);
  }
  return found;
}

/** A kernel without its op, which a chart's problem says: also the name of its series. */
export const shortKernel = (kernel: string): string => kernel.split('/')[1] ?? kernel;

/**
 * Short labels for charts, by address: the kernel without its op, and by name
 * those of its tunables that differ among the rows. Equal only for equal variants.
 */
export function shortLabels(rows: readonly Row[]): ReadonlyMap<string, string> {
  // Thousands of rows are of some hundred variants.
  const distinct = [...new Map(rows.map((row) => [row.address, row])).values()];
  const variants = new Map<string, TunableValues[]>();
  for (const { kernel, tunables } of distinct) {
    const known = variants.get(kernel);
    if (known) known.push(tunables);
    else variants.set(kernel, [tunables]);
  }
  const differing = new Map(
    [...variants].map(([kernel, of]) => {
      const names = new Set(of.flatMap((tunables) => Object.keys(tunables)));
      const differs = (name: string) => new Set(of.map((tunables) => tunables[name])).size > 1;
      return [kernel, new Set([...names].filter(differs))];
    }),
  );
  return new Map(
    distinct.map(({ address, kernel, tunables }) => {
      const varied = Object.entries(tunables)
        .filter(([name]) => differing.get(kernel)?.has(name))
        .map(([name, value]) => `${name}=${value}`);
      return [address, [shortKernel(kernel), ...varied].join(' · ')];
    }),
  );
}
