'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, rateOf } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatRate, rateText } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { STRONGEST } from '@/ui/plot/scales';
import { useQuery } from '@/ui/use-query';
import { sizeTunables } from '../../kernels/workgroup';
import { resultHref, variedTunables } from '../runs';

const settingOf = (run: MeasuredRun, name: string): string => String(run.variant.tunables[name]);

const fastest = (runs: readonly MeasuredRun[]): MeasuredRun =>
  runs.reduce((a, b) => (b.figures.rate > a.figures.rate ? b : a));

/** Values in order of size where they are numbers. */
const ordered = (values: readonly string[]): string[] =>
  [...new Set(values)].toSorted((a, b) => Number(a) - Number(b) || a.localeCompare(b));

/** The tunables that a kernel's runs vary, those that size the workgroup first. */
function varied(kernel: string, runs: readonly MeasuredRun[]): string[] {
  const sizes = sizeTunables(kernel);
  return [...(variedTunables(runs).get(kernel) ?? [])].toSorted(
    (a, b) => Number(sizes.has(b)) - Number(sizes.has(a)),
  );
}

/** Tile by tile: the best rate for each pair of values of two tunables of a kernel, the fastest unless chosen. */
export function TileMap({ runs }: { runs: readonly MeasuredRun[] }) {
  const [query, setQuery] = useQuery();
  const kernels = useMemo(
    () =>
      [...group(runs, ({ variant }) => variant.kernel)]
        .map(([kernel, kernelRuns]) => ({ kernel, kernelRuns, names: varied(kernel, kernelRuns) }))
        .filter(({ names }) => names.length > 1)
        .toSorted(
          (a, b) => fastest(b.kernelRuns).figures.rate - fastest(a.kernelRuns).figures.rate,
        ),
    [runs],
  );
  const chosen = kernels.find(({ kernel }) => kernel === query.get('kernel')) ?? kernels[0];
  if (!chosen) return null;
  const { kernel, names, kernelRuns } = chosen;
  const x = names.find((name) => name === query.get('x')) ?? names[0] ?? '';
  const others = names.filter((name) => name !== x);
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
          'Tunables of',
          kernel,
          kernels.map((known) => known.kernel),
        )}
        {names.length > 2 && choice('x', 'Across', x, names)}
        {choice('y', 'Down', y, others)}
      </div>
      <Cells kernel={kernel} runs={kernelRuns} x={x} y={y} />
    </div>
  );
}

interface Cell {
  readonly x: string;
  readonly y: string;
  readonly run: MeasuredRun;
}

/** Cells with their rates, coloured by their part of the best; each leads to its result. */
function Cells({
  kernel,
  runs,
  x,
  y,
}: {
  kernel: string;
  runs: readonly MeasuredRun[];
  x: string;
  y: string;
}) {
  const best = fastest(runs);
  const unit = opOf(best.problem).rateUnit(best.problem);
  const cells = useMemo(
    () =>
      [...group(runs, (run) => `${settingOf(run, x)} ${settingOf(run, y)}`).values()].map(
        (alike): Cell => {
          const run = fastest(alike);
          return { x: settingOf(run, x), y: settingOf(run, y), run };
        },
      ),
    [runs, x, y],
  );
  const rows = ordered(cells.map((cell) => cell.y));
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const band = (label: string, values: readonly string[], padding: number) => ({
        type: 'band' as const,
        domain: ordered(values),
        label,
        tickSize: 0,
        padding,
      });
      return {
        marginLeft: 64,
        marginRight: 4,
        marginTop: 16,
        marginBottom: 36,
        x: band(
          x,
          cells.map((cell) => cell.x),
          0.04,
        ),
        y: band(
          y,
          cells.map((cell) => cell.y),
          0.06,
        ),
        marks: [
          Plot.cell(cells, {
            x: 'x',
            y: 'y',
            fill: 'var(--accent)',
            fillOpacity: ({ run }: Cell) => (STRONGEST * run.figures.rate) / best.figures.rate,
            stroke: 'var(--line)',
            title: (cell: Cell) =>
              `${x}=${cell.x}, ${y}=${cell.y}: ${rateText(rateOf(cell.run.problem, cell.run.figures.medianNs))}`,
            href: ({ run }: Cell) => resultHref(run),
          }),
          Plot.text(cells, {
            x: 'x',
            y: 'y',
            pointerEvents: 'none',
            text: ({ run }: Cell) => formatRate(run.figures.rate),
            fill: 'var(--ink)',
          }),
        ],
      };
    },
    [cells, best, x, y],
  );
  return (
    <Figure
      draw={draw}
      height={rows.length * 32 + 56}
      fileName="rate-by-tunables"
      caption={`${unit} of ${kernel} by ${x} and ${y}, the best variant of each pair; stronger colour is better.`}
      summary={`Rate by tunables of ${kernel}: the best is ${x}=${settingOf(best, x)}, ${y}=${settingOf(best, y)} with ${formatRate(best.figures.rate)} ${unit}.`}
    />
  );
}
