'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf } from '@tilemark/kernels';
import { group, mean, rollups } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { useQuery } from '@/ui/use-query';
import { sizeTunables } from '../../kernels/workgroup';
import { resultHref } from '../runs';
import { rateCells } from './heat-map';

/** The best of the runs that share the values. */
export interface Best {
  readonly x: string;
  readonly y: string;
  readonly run: MeasuredRun;
}

const settingOf = (run: MeasuredRun, name: string): string => String(run.variant.tunables[name]);

const fastest = (runs: readonly MeasuredRun[]): MeasuredRun =>
  runs.reduce((a, b) => (b.figures.rate > a.figures.rate ? b : a));

/** Values in order of size where they are numbers. */
const ordered = (values: readonly string[]): string[] =>
  [...new Set(values)].toSorted((a, b) => Number(a) - Number(b) || a.localeCompare(b));

/** The tunables that a kernel's runs vary, those that size the workgroup first. */
function varied(kernel: string, runs: readonly MeasuredRun[]): string[] {
  const names = [...new Set(runs.flatMap(({ variant }) => Object.keys(variant.tunables)))];
  const sizes = sizeTunables(kernel);
  return names
    .filter((name) => new Set(runs.map((run) => settingOf(run, name))).size > 1)
    .toSorted((a, b) => Number(sizes.has(b)) - Number(sizes.has(a)));
}

/**
 * What the tunables of a kernel do on one problem, profile and device: each by itself, and any two
 * as a map. Of the fastest kernel that ran with several values of one, unless another is chosen.
 */
export function TunableCharts({ runs }: { runs: readonly MeasuredRun[] }) {
  const [query, setQuery] = useQuery();
  const kernels = useMemo(
    () =>
      [...group(runs, ({ variant }) => variant.kernel)]
        .map(([kernel, kernelRuns]) => ({ kernel, kernelRuns, names: varied(kernel, kernelRuns) }))
        .filter(({ names }) => names.length > 0)
        .toSorted(
          (a, b) => fastest(b.kernelRuns).figures.rate - fastest(a.kernelRuns).figures.rate,
        ),
    [runs],
  );
  const chosen = kernels.find(({ kernel }) => kernel === query.get('kernel')) ?? kernels[0];
  if (!chosen) return null;
  const { kernel, names, kernelRuns } = chosen;
  const x = names.find((name) => name === query.get('x')) ?? names[0];
  const y =
    names.find((name) => name === query.get('y') && name !== x) ?? names.find((name) => name !== x);
  const choice = (id: 'kernel' | 'x' | 'y', label: string, of: readonly string[], value = '') => (
    <SelectField
      {...{ id, label, value, options: of }}
      onChange={({ target }) => setQuery({ [id]: target.value })}
    />
  );
  return (
    <div className="border-t border-line">
      <div className="flex flex-wrap gap-3 px-4 pt-3">
        {kernels.length > 1 &&
          choice(
            'kernel',
            'Tunables of',
            kernels.map((each) => each.kernel),
            kernel,
          )}
        {y !== undefined && choice('x', 'Across', names, x)}
        {y !== undefined &&
          choice(
            'y',
            'Down',
            names.filter((name) => name !== x),
            y,
          )}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] has-[>:nth-child(2)]:lg:grid-cols-2">
        <TunableEffects kernel={kernel} runs={kernelRuns} names={names} />
        {x !== undefined && y !== undefined && (
          <TunableMap kernel={kernel} runs={kernelRuns} x={x} y={y} />
        )}
      </div>
    </div>
  );
}

/** Width of a character of a label, and the room right of the axis, px. */
const [CHARACTER, MARGIN_RIGHT] = [6.6, 24];

interface Label {
  readonly y: string;
  readonly rate: number;
  readonly text: string;
}

/** The values over their points; those of points too near for two labels in one: `8, 16`. */
function labelsOf(points: readonly Best[], pxPerRate: number): Label[] {
  return [...group(points, ({ y }) => y).values()].flatMap((level) => {
    const labels: { y: string; text: string; rates: number[] }[] = [];
    for (const { run, x, y } of level.toSorted((a, b) => a.run.figures.rate - b.run.figures.rate)) {
      const last = labels.at(-1);
      const gap = last && (run.figures.rate - (mean(last.rates) ?? 0)) * pxPerRate;
      if (last && gap !== undefined && gap < ((last.text.length + x.length) / 2 + 1) * CHARACTER) {
        last.text += `, ${x}`;
        last.rates.push(run.figures.rate);
      } else {
        labels.push({ y, text: x, rates: [run.figures.rate] });
      }
    }
    return labels.map(({ rates, text, y }) => ({ y, text, rate: mean(rates) ?? 0 }));
  });
}

/** Tunables whose values have one time in all their intervals: the difference drawn may be noise. */
export function unresolved(points: readonly Best[]): string[] {
  const overlap = (level: readonly Best[]) =>
    Math.max(...level.map(({ run }) => run.figures.lowNs)) <=
    Math.min(...level.map(({ run }) => run.figures.highNs));
  return [...group(points, ({ y }) => y)].flatMap(([name, level]) => (overlap(level) ? name : []));
}

/** Each value of each tunable, by its best variant. */
function TunableEffects({
  kernel,
  runs,
  names,
}: {
  kernel: string;
  runs: readonly MeasuredRun[];
  names: readonly string[];
}) {
  const unit = runs[0] ? opOf(runs[0].problem).rateUnit(runs[0].problem) : '';
  const points = useMemo(
    () =>
      names.flatMap((y) =>
        rollups(runs, fastest, (run) => settingOf(run, y)).map(([x, run]): Best => ({ x, y, run })),
      ),
    [runs, names],
  );
  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      const marginLeft = Math.max(...names.map((name) => name.length)) * CHARACTER + 16;
      const most = Math.max(...points.map(({ run }) => run.figures.rate));
      const labels = labelsOf(points, (width - marginLeft - MARGIN_RIGHT) / most);
      return {
        marginLeft,
        marginRight: MARGIN_RIGHT,
        marginTop: 16,
        marginBottom: 34,
        x: {
          label: `${unit} of the best variant with the value, higher is better →`,
          grid: true,
          zero: true,
          ticks: Math.max(2, Math.floor(width / 120)),
        },
        y: { type: 'band', domain: [...names], label: null, tickSize: 0 },
        marks: [
          Plot.ruleY(
            points,
            Plot.groupY({ x1: 'min', x2: 'max' }, {
              x1: ({ run }: Best) => run.figures.rate,
              x2: ({ run }: Best) => run.figures.rate,
              y: 'y',
              stroke: 'var(--line-strong)',
            } as object),
          ),
          Plot.dot(points, {
            x: ({ run }: Best) => run.figures.rate,
            y: 'y',
            r: 4,
            fill: 'var(--accent)',
            title: ({ run, x, y }: Best) => `${y}=${x}: ${formatRate(run.figures.rate)} ${unit}`,
            href: ({ run }: Best) => resultHref(run),
          }),
          Plot.text(labels, { x: 'rate', y: 'y', text: 'text', dy: -11, fill: 'var(--ink)' }),
        ],
      };
    },
    [points, names, unit],
  );
  const noise = unresolved(points);
  return (
    <Figure
      draw={draw}
      height={names.length * 40 + 50}
      fileName="effect-of-tunables"
      caption={`Effect of each tunable of ${kernel}: a value’s best variant, whatever the others are. A long line means that the choice matters${noise.length > 0 ? `, except for ${noise.join(', ')}: the intervals of all values overlap, so the difference may be noise` : ''}.`}
      summary={`Effect of each tunable of ${kernel}: ${names
        .map((name) => {
          const best = fastest(runs);
          return `best with ${name}=${settingOf(best, name)}`;
        })
        .join(', ')}.`}
    />
  );
}

/** The best rate for each pair of values of two tunables. */
function TunableMap({
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
  const unit = runs[0] ? opOf(runs[0].problem).rateUnit(runs[0].problem) : '';
  const cells = useMemo(
    () =>
      [...group(runs, (run) => `${settingOf(run, x)} ${settingOf(run, y)}`).values()].map(
        (alike): Best => {
          const run = fastest(alike);
          return { x: settingOf(run, x), y: settingOf(run, y), run };
        },
      ),
    [runs, x, y],
  );
  const best = fastest(runs);
  const rows = ordered(cells.map((cell) => cell.y));
  const draw = useCallback<DrawPlot>(
    (Plot) => ({
      marginLeft: 64,
      marginRight: 4,
      marginTop: 4,
      marginBottom: 36,
      x: {
        type: 'band',
        domain: ordered(cells.map((cell) => cell.x)),
        label: x,
        tickSize: 0,
        padding: 0.04,
      },
      y: {
        type: 'band',
        domain: ordered(cells.map((cell) => cell.y)),
        label: y,
        tickSize: 0,
        padding: 0.06,
      },
      marks: [
        ...rateCells(Plot, cells, {
          x: 'x',
          y: 'y',
          nameOf: (cell) => `${x}=${cell.x}, ${y}=${cell.y}`,
        }),
      ],
    }),
    [cells, x, y],
  );
  return (
    <Figure
      draw={draw}
      height={rows.length * 32 + 44}
      fileName="tunable-map"
      caption={`${unit} of ${kernel} by ${x} and ${y}, the best variant of each pair; stronger colour is better.`}
      summary={`Rate of ${kernel} by ${x} and ${y}: the best is ${x}=${settingOf(best, x)}, ${y}=${settingOf(best, y)} with ${formatRate(best.figures.rate)} ${unit}.`}
    />
  );
}
