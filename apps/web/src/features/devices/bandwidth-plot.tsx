'use client';

import type { RooflineRecord } from '@tilemark/core';
import { useCallback } from 'react';
import { formatBytes, formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot';

type Copy = RooflineRecord['copies'][number];

/** Copied bytes a second by working set: where the last-level cache ends. */
export function BandwidthPlot({
  survey: { copies, lastLevelCacheBytes, profile },
}: {
  survey: RooflineRecord;
}) {
  const draw = useCallback<DrawPlot>(
    (Plot, width) => ({
      marginLeft: 56,
      marginRight: 16,
      marginBottom: 36,
      x: {
        type: 'log',
        base: 2,
        label: 'working set →',
        ticks: Math.max(3, Math.floor(width / 90)),
        tickFormat: formatBytes,
      },
      y: { label: '↑ GB/s, higher is better', grid: true, zero: true, ticks: 5 },
      marks: [
        ...(lastLevelCacheBytes === null
          ? []
          : [
              Plot.ruleX([lastLevelCacheBytes], {
                stroke: 'var(--amber)',
                strokeDasharray: '4 3',
              }),
            ]),
        Plot.line(copies, {
          x: 'bytes',
          y: 'gigabytesPerSecond',
          stroke: 'var(--accent)',
          strokeWidth: 1.5,
        }),
        Plot.dot(copies, {
          x: 'bytes',
          y: 'gigabytesPerSecond',
          fill: 'var(--accent)',
          r: 2.5,
          title: ({ bytes, gigabytesPerSecond }: Copy) =>
            `${formatBytes(bytes)}: ${formatRate(gigabytesPerSecond)} GB/s`,
        }),
      ],
    }),
    [copies, lastLevelCacheBytes],
  );
  const fastest = copies.reduce<Copy | undefined>(
    (a, b) => (a && a.gigabytesPerSecond >= b.gigabytesPerSecond ? a : b),
    undefined,
  );
  const memory = copies.at(-1);
  if (!fastest || !memory) return null;
  const cache =
    lastLevelCacheBytes === null
      ? 'No last-level cache stands out from memory.'
      : `They imply a last-level cache of ${formatBytes(lastLevelCacheBytes)} up to twice that (dashed).`;
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="bandwidth-by-working-set"
      caption={`Copies by working set under profile ${profile}, higher is better. ${cache}`}
      summary={`Copied bytes a second by working set: at most ${formatRate(fastest.gigabytesPerSecond)} GB/s at ${formatBytes(fastest.bytes)}, ${formatRate(memory.gigabytesPerSecond)} GB/s at ${formatBytes(memory.bytes)}. ${cache}`}
    />
  );
}
