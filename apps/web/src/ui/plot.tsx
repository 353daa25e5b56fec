'use client';

import type * as PlotModule from '@observablehq/plot';
import { type ReactNode, useEffect, useRef, useState } from 'react';

export type DrawPlot = (plot: typeof PlotModule, width: number) => PlotModule.PlotOptions;

/**
 * A chart by Observable Plot, drawn to the width there is. Its place is kept
 * until the library has come, so nothing jumps. Colours are CSS variables, so
 * the scheme may change under it. `summary` says in words what it shows.
 */
export function Figure({
  draw,
  height,
  summary,
  caption,
}: {
  draw: DrawPlot;
  height: number;
  summary: string;
  caption: ReactNode;
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
        if (width === 0) return;
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
        // The figure's caption and summary speak for it.
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

  return (
    <figure className="px-4 py-3">
      <figcaption className="mb-2 text-xs text-muted">{caption}</figcaption>
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
