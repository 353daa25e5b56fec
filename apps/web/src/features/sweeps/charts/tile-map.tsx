'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, rateOf } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatRate, rateText } from '@/ui/format';
import { type HeatCell, HeatMap } from '@/ui/heat-map';
import { shareFill } from '@/ui/plot/scales';
import { useQuery } from '@/ui/use-query';
import { nameOf, resultHref, variedTunables } from '../runs';
import { blockOf } from './curve-points';

/** Reads what rows or columns stand for: a tunable or, of several kernels, these and their block sides. */
type SettingOf = (run: MeasuredRun, name: string) => string;
const tunableOf: SettingOf = (run, name) => String(run.variant.tunables[name]);

const ALL = 'all kernels';

/** All kernels by block side, as reports have them, under their names; null where either is one. */
export function byBlock(runs: readonly MeasuredRun[], names: ReadonlyMap<string, string>) {
  const kernelRuns = runs.filter((run) => blockOf(run) !== null);
  const settingOf: SettingOf = (run, name) =>
    name === 'kernel' ? nameOf(run, names) : String(blockOf(run));
  const sides = ['block side', 'kernel'];
  const isOne = (name: string) => new Set(kernelRuns.map((run) => settingOf(run, name))).size < 2;
  return sides.some(isOne) ? null : { kernel: ALL, kernelRuns, names: sides, settingOf };
}

const fastest = (runs: readonly MeasuredRun[]): MeasuredRun =>
  runs.reduce((a, b) => (b.figures.rate > a.figures.rate ? b : a));

/** Values in order of size where they are numbers, else in that of the runs. */
export const ordered = (values: readonly string[]): string[] =>
  [...new Set(values)].toSorted((a, b) => Number(a) - Number(b) || 0);

/** The tunables that a kernel's runs vary. */
const varied = (kernel: string, runs: readonly MeasuredRun[]): string[] => [
  ...(variedTunables(runs).get(kernel) ?? []),
];

/**
 * Tile by tile: the best rate for each pair of values of two tunables of a kernel, the fastest unless
 * chosen, or for each kernel and block side, which comes first beside a report.
 */
export function TileMap({
  runs,
  names,
}: {
  runs: readonly MeasuredRun[];
  /** What a report calls variants, by address. */
  names: ReadonlyMap<string, string>;
}) {
  const [query, setQuery] = useQuery();
  const kernels = useMemo(() => {
    const maps = [...group(runs, ({ variant }) => variant.kernel)]
      .map(([kernel, kernelRuns]) => ({
        ...{ kernel, kernelRuns, names: varied(kernel, kernelRuns), settingOf: tunableOf },
      }))
      .filter(({ names }) => names.length > 1)
      .toSorted((a, b) => fastest(b.kernelRuns).figures.rate - fastest(a.kernelRuns).figures.rate);
    const all = byBlock(runs, names) ?? [];
    return names.size > 0 ? [all, maps].flat() : [maps, all].flat();
  }, [runs, names]);
  const chosen = kernels.find(({ kernel }) => kernel === query.get('kernel')) ?? kernels[0];
  if (!chosen) return null;
  const { kernel, kernelRuns, names: sides, settingOf } = chosen;
  const x = sides.find((name) => name === query.get('x')) ?? sides[0] ?? '';
  const others = sides.filter((name) => name !== x);
  const y = others.find((name) => name === query.get('y')) ?? others[0] ?? '';
  const choice = (id: string, label: string, value: string, options: readonly string[]) =>
    options.length > 1 && (
      <SelectField
        id={id}
        label={label}
        value={value}
        options={options}
        onChange={({ target }) => setQuery({ [id]: target.value })}
      />
    );
  return (
    <div>
      <div className="flex flex-wrap gap-3 px-4 pt-3 empty:hidden">
        {choice(
          'kernel',
          'Map of',
          kernel,
          kernels.map((known) => known.kernel),
        )}
        {sides.length > 2 && choice('x', 'Across', x, sides)}
        {choice('y', 'Down', y, others)}
      </div>
      <Cells runs={kernelRuns} {...{ kernel, settingOf, x, y }} />
    </div>
  );
}

/** The best rate of each pair of values, coloured by its part of the best; each leads to its result. */
function Cells({
  kernel,
  runs,
  settingOf,
  x,
  y,
}: {
  kernel: string;
  settingOf: SettingOf;
  runs: readonly MeasuredRun[];
  x: string;
  y: string;
}) {
  const best = fastest(runs);
  const { problem } = best;
  const columns = ordered(runs.map((run) => settingOf(run, x)));
  const rows = ordered(runs.map((run) => settingOf(run, y)));
  const cellOf = (row: string, column: string): HeatCell | null => {
    const alike = runs.filter((run) => settingOf(run, x) === column && settingOf(run, y) === row);
    const run = alike.length > 0 ? fastest(alike) : null;
    const href = run && resultHref(run);
    if (!run || !href) return null;
    const { medianNs, rate } = run.figures;
    return {
      href,
      about: `${x}=${column}, ${y}=${row}: ${rateText(rateOf(problem, medianNs))}`,
      fill: shareFill(rate / best.figures.rate),
      content: formatRate(rate),
    };
  };
  return (
    <div className="px-4 py-3">
      <p className="mb-2 text-xs text-muted">
        {opOf(problem).rateUnit(problem)} of {kernel} by {x} and {y}, the best variant of each pair;
        stronger colour is better.
      </p>
      <HeatMap
        caption={kernel === ALL ? 'Rate by kernel and block side' : `Rate by tunables of ${kernel}`}
        corner={`${y} \\ ${x}`}
        columns={columns}
        rows={rows}
        cells={rows.map((row) => columns.map((column) => cellOf(row, column)))}
      />
    </div>
  );
}
