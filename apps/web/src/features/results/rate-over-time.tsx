'use client';

import { driverText, intervalsText } from '@tilemark/core';
import type { DatedResult } from '@tilemark/core/server';
import { opOf, type Problem } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatInterval, formatMoment, formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { momentTick } from './moment-tick';

/** Of the names of versions above the points, px and rows. */
const NAME_HEIGHT = 14;
const NAME_ROWS = 3;

/** Left and right of the points, px. */
const MARGINS = 72;
/** Of Plot's text, px: its unit of the width of lines. */
const FONT_SIZE = 10;

/** Where a point stands in time, from 0 to 1. */
function placeIn(points: readonly { readonly at: Date }[], { at }: { readonly at: Date }): number {
  const [from, to] = [points[0]?.at ?? at, points.at(-1)?.at ?? at].map(Number) as [number, number];
  return to > from ? (Number(at) - from) / (to - from) : 0.5;
}

/** The rate of a variant at each measurement, with a line where the driver or Dawn changed. */
export function RateOverTime({
  problem,
  results,
}: {
  problem: Problem;
  results: readonly DatedResult[];
}) {
  const op = opOf(problem);
  const unit = op.rateUnit(problem);
  const points = useMemo(
    () =>
      results.map(({ driver, endedAt, highNs, lowNs, medianNs, n, resultId, webgpu }) => ({
        at: endedAt,
        rate: op.rate(problem, medianNs),
        low: op.rate(problem, highNs),
        high: op.rate(problem, lowNs),
        interval: formatInterval(medianNs, lowNs, highNs, n),
        version: [`driver ${driverText(driver) || 'unknown'}`, webgpu && `Dawn ${webgpu}`]
          .filter(Boolean)
          .join(', '),
        href: `/results/${resultId}`,
      })),
    [results, op, problem],
  );
  const changes = useMemo(
    () => points.filter(({ version }, index) => version !== points[index - 1]?.version),
    [points],
  );
  const draw = useCallback<DrawPlot>(
    (Plot, width) => ({
      marginLeft: MARGINS - 16,
      marginRight: 16,
      marginTop: 24,
      marginBottom: 32,
      x: {
        type: 'utc',
        label: null,
        inset: 8,
        ticks: Math.floor(width / 110),
        tickFormat: momentTick,
      },
      y: {
        label: `↑ ${unit}, higher is better`,
        grid: true,
        nice: true,
        ticks: 4,
        insetTop: NAME_HEIGHT * Math.min(NAME_ROWS, changes.length),
      },
      marks: [
        Plot.ruleX(changes, { x: 'at', stroke: 'var(--amber)', strokeDasharray: '4 3' }),
        // Names of versions that follow closely stand below one another, each towards the wider side.
        ...changes.map((change, index) => {
          const part = placeIn(points, change);
          const room = Math.max(part, 1 - part) * (width - MARGINS);
          return Plot.text([change], {
            x: 'at',
            text: 'version',
            fill: 'var(--amber)',
            frameAnchor: 'top',
            lineAnchor: 'top',
            ...(part <= 0.5
              ? { textAnchor: 'start' as const, dx: 3 }
              : { textAnchor: 'end' as const, dx: -3 }),
            lineWidth: room / FONT_SIZE,
            textOverflow: 'ellipsis' as const,
            dy: NAME_HEIGHT * (index % NAME_ROWS),
          });
        }),
        Plot.lineY(points, { x: 'at', y: 'rate', stroke: 'var(--line-strong)' }),
        Plot.ruleX(points, { x: 'at', y1: 'low', y2: 'high', stroke: 'var(--accent)' }),
        Plot.dot(points, {
          x: 'at',
          y: 'rate',
          r: 3.5,
          fill: 'var(--accent)',
          title: ({ at, interval, rate, version }: (typeof points)[number]) =>
            `${formatMoment(new Date(at))}, ${version}: ${formatRate(rate)} ${unit}, median time ${interval}`,
          href: 'href',
        }),
      ],
    }),
    [points, changes, unit],
  );
  return (
    <Figure
      draw={draw}
      height={220}
      fileName="rate-over-time"
      caption={`Every measurement of this variant here, higher is better; whiskers are ${intervalsText(results)}, without the spread between runs. Dashed: the driver or Dawn from there on.`}
      summary={`Rate over time: ${points.length} measurements under ${new Set(points.map(({ version }) => version)).size} versions of driver and Dawn.`}
    />
  );
}
