'use client';

import type * as PlotModule from '@observablehq/plot';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { download, type LegendItem, pngOf, standaloneSvg } from './plot-file';

export type DrawPlot = (plot: typeof PlotModule, width: number) => PlotModule.PlotOptions;

const NO_LEGEND: readonly LegendItem[] = [];

/** A narrower frame is still being laid out. */
const MIN_WIDTH = 120;

/**
 * A chart drawn by Observable Plot to the available width. Its space is reserved while the
 * library loads, so nothing jumps. Colours are CSS variables, so it follows the colour scheme.
 *
 * @param summary what the chart shows, in words
 * @param fileName of downloads, without extension
 */
export function Figure({
  draw,
  height,
  summary,
  caption,
  fileName,
  legend = NO_LEGEND,
}: {
  draw: DrawPlot;
  height: number;
  summary: string;
  caption: ReactNode;
  fileName: string;
  legend?: readonly LegendItem[];
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [isDrawn, setDrawn] = useState(false);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let isGone = false;
    let observer: ResizeObserver | undefined;

    const show = async () => {
      const Plot = await import('@observablehq/plot');
      if (isGone) return;
      observer = new ResizeObserver(([entry]) => {
        const width = Math.floor(entry?.contentRect.width ?? 0);
        if (width < MIN_WIDTH) return;
        const svg = Plot.plot({
          ...draw(Plot, width),
          width,
          height,
          style: {
            background: 'transparent',
            color: 'var(--muted)',
            fontFamily: 'var(--font-geist-sans)',
            fontSize: '11px',
            overflow: 'visible',
          },
        });
        // The caption and summary describe it.
        svg.setAttribute('aria-hidden', 'true');
        element.replaceChildren(svg);
        setDrawn(true);
      });
      observer.observe(element);
    };
    void show();

    return () => {
      isGone = true;
      observer?.disconnect();
    };
  }, [draw, height]);

  const save = async (type: 'svg' | 'png') => {
    const chart = frame.current?.querySelector('svg');
    if (!chart) return;
    const svg = standaloneSvg(chart, summary, legend);
    const blob = type === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg);
    download(blob, `${fileName}.${type}`);
  };

  return (
    <figure className="px-4 py-3">
      <figcaption className="mb-2 flex items-start justify-between gap-4 text-xs text-muted">
        <div>
          {caption}
          {legend.length > 0 && <Legend items={legend} />}
        </div>
        <div className="flex shrink-0 gap-2">
          {(['svg', 'png'] as const).map((type) => (
            <button
              key={type}
              type="button"
              disabled={!isDrawn}
              onClick={() => void save(type)}
              title={`Download this chart as ${type.toUpperCase()}`}
              aria-label={`Download ${type.toUpperCase()}`}
              className="rounded-tile px-1 text-2xs hover:bg-sunken hover:text-ink disabled:invisible"
            >
              {type.toUpperCase()}
            </button>
          ))}
        </div>
      </figcaption>
      <div className="relative" style={{ height }}>
        <div ref={frame} role="img" aria-label={summary} className="h-full" />
        {!isDrawn && (
          <p
            aria-hidden="true"
            className="absolute inset-0 grid place-items-center text-xs text-muted"
          >
            Drawing …
          </p>
        )}
      </div>
    </figure>
  );
}

function Legend({ items }: { items: readonly LegendItem[] }) {
  return (
    <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
      {items.map(({ color, text }) => (
        <li key={text} className="inline-flex items-center gap-1.5 font-mono text-ink">
          <span
            aria-hidden="true"
            className="inline-block h-0.5 w-4"
            style={{ background: color }}
          />
          {text}
        </li>
      ))}
    </ul>
  );
}
