import { type Figures, type MeasuredRun, POLICIES, type RunShown } from '@tilemark/core';
import {
  addressParts,
  type Problem,
  particularsText,
  shapeText,
  type TunableValues,
} from '@tilemark/kernels';
import { ascending, group, min, rollup } from 'd3-array';
import { formatShape } from '@/ui/format';

/** What the page of a sweep works out from its runs. */

/** `matmul 512 f32` */
export const problemText = (problem: Problem): string =>
  `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}${particularsText(problem)}`;

/** What must be equal for two runs to be compared: the problem, the device and the profile. */
export const groupKey = ({ device, problem, profile }: RunShown): string =>
  `${problemText(problem)} ${profile} ${device.key}`;

/** What must be equal for two runs to be in one chart: a quick run is less certain than a full one. */
export const chartKey = (run: RunShown): string => `${groupKey(run)} ${run.policy}`;

/** `full runs (policy default)` */
export const policyText = (policy: RunShown['policy'], noun: 'run' | 'runs' = 'runs'): string =>
  `${POLICIES[policy].rankable ? 'full' : 'quick'} ${noun} (policy ${policy})`;

/** One run per variant, problem, device and profile: the middle one of those ranked, or else of all. */
export function oneOfEach(runs: readonly MeasuredRun[]): MeasuredRun[] {
  const alike = group(runs, (run) => `${groupKey(run)} ${run.address}`);
  return [...alike.values()].flatMap((runs) => {
    const ranked = runs.filter(({ reason }) => reason === null);
    const sorted = (ranked.length > 0 ? ranked : runs).toSorted((a, b) =>
      ascending(a.figures.medianNs, b.figures.medianNs),
    );
    return sorted.slice(sorted.length >> 1).slice(0, 1);
  });
}

/** What charts draw: of each policy one run per variant, so that a search's winner is in both. */
export const drawnRuns = (runs: readonly MeasuredRun[]): MeasuredRun[] =>
  [...group(runs, ({ policy }) => policy).values()].flatMap(oneOfEach);

/**
 * Runs of one problem, device and profile together, in the order of their first: full runs before
 * quick ones, the fastest of each first.
 */
export function fastestFirst<T extends { readonly run: RunShown }>(rows: readonly T[]): T[] {
  const ns = ({ run }: T) => run.figures?.medianNs ?? Number.POSITIVE_INFINITY;
  const isQuick = ({ run }: T) => Number(!POLICIES[run.policy].rankable);
  return [...group(rows, ({ run }) => groupKey(run)).values()].flatMap((alike) =>
    alike.toSorted((a, b) => ascending(isQuick(a), isQuick(b)) || ascending(ns(a), ns(b))),
  );
}

/** A ratio of times, between those of the ends of both intervals that are nearest and farthest. */
export interface Speedup {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  /** A side is one sample, which says nothing of its spread: the ratio is all there is. */
  readonly isOfOne: boolean;
}

/** How much faster `figures` are than `base`. */
const speedupOf = (base: Figures, figures: Figures): Speedup => ({
  ratio: base.medianNs / figures.medianNs,
  low: base.lowNs / figures.highNs,
  high: base.highNs / figures.lowNs,
  isOfOne: base.samples === 1 || figures.samples === 1,
});

/**
 * Speed-up of each measured run over the fastest naive kernel of its group, by run id: a quick run over
 * quick ones, a full one over full ones. Runs that have no such naive beside them are left out.
 */
export function speedups(runs: readonly MeasuredRun[]): ReadonlyMap<string, Speedup> {
  const byRun = new Map<string, Speedup>();
  for (const alike of group(runs, chartKey).values()) {
    const naive = alike.filter(({ variant, problem }) => variant.kernel === `${problem.op}/naive`);
    const [base] = naive.toSorted((a, b) => ascending(a.figures.medianNs, b.figures.medianNs));
    if (!base) continue;
    for (const { figures, runId } of alike) {
      byRun.set(
        runId,
        runId === base.runId
          ? { ratio: 1, low: 1, high: 1, isOfOne: false }
          : speedupOf(base.figures, figures),
      );
    }
  }
  return byRun;
}

/** Times the serial host: of the kernel alone and, on a GPU whose transfers were timed, of all three. */
export type OverHost = { readonly ratio: number; readonly withTransfers: number | null };

/**
 * How much faster each measured run is than the serial host kernel on its problem, by run id, whatever
 * the device and profile of either; of several, the fastest. Where none was measured, none.
 */
export function overHost(runs: readonly MeasuredRun[]): ReadonlyMap<string, OverHost> {
  const key = ({ policy, problem }: RunShown) => `${problemText(problem)} ${policy}`;
  const host = runs.filter(({ problem, variant }) => variant.kernel === `${problem.op}/cpu-naive`);
  const bases = rollup(host, (alike) => min(alike, ({ figures }) => figures.medianNs), key);
  return new Map(
    runs.flatMap((run) => {
      const { deviceToHostNs: back, hostToDeviceNs: there, medianNs } = run.figures;
      const base = bases.get(key(run));
      if (base === undefined) return [];
      const isTimed = typeof there === 'number' && typeof back === 'number';
      const withTransfers = isTimed ? base / (there + medianNs + back) : null;
      return [[run.runId, { ratio: base / medianNs, withTransfers }]];
    }),
  );
}

/** A kernel without its op, which a chart's problem says: also the name of its series. */
export const shortKernel = (kernel: string): string => kernel.split('/')[1] ?? kernel;

/** Where a mark of a chart leads. */
export const resultHref = ({ resultId }: Pick<RunShown, 'resultId'>): string | null =>
  resultId && `/results/${resultId}`;

/** A variant under a name of its own: its address, or what is left of it. */
interface NamedVariant {
  readonly address: string;
  readonly variant: RunShown['variant'];
}

/** A kernel, as the report calls the variant where it does. */
export const nameOf = (
  { address, variant }: NamedVariant,
  names: ReadonlyMap<string, string>,
): string => names.get(address) ?? shortKernel(variant.kernel);

/**
 * Short labels for charts, by address: the name, and by theirs those tunables that differ among the
 * variants of that name. Equal only for equal variants.
 */
export function shortLabels(
  variants: readonly NamedVariant[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  // Thousands of runs are of some hundred variants.
  const distinct = [...new Map(variants.map((each) => [each.address, each])).values()];
  const named = [...group(distinct, (each) => nameOf(each, names))];
  return new Map(
    named.flatMap(([name, alike]) => {
      const differing = differingTunables(alike.map(({ variant }) => variant.tunables));
      return alike.map(({ address }) => {
        const { settings } = addressParts(address);
        const varied = settings.filter(([tunable]) => differing.has(tunable));
        return [address, [name, ...varied.map((each) => each.join('='))].join(' · ')] as const;
      });
    }),
  );
}

/** By kernel, the tunables in which its variants differ. */
export const variedTunables = (
  variants: readonly Pick<NamedVariant, 'variant'>[],
): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...group(variants, ({ variant }) => variant.kernel)].map(([kernel, of]) => [
      kernel,
      differingTunables(of.map(({ variant }) => variant.tunables)),
    ]),
  );

function differingTunables(all: readonly TunableValues[]): ReadonlySet<string> {
  const names = new Set(all.flatMap((tunables) => Object.keys(tunables)));
  return new Set(
    [...names].filter((name) => new Set(all.map((tunables) => tunables[name])).size > 1),
  );
}
