'use client';

import type * as PlotModule from '@observablehq/plot';
import { DATA_LICENCE } from '@tilemark/core';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Button } from '../button';
import { Notice } from '../notice';
import { download, permalink, pngOf, standaloneSvg } from './file';
import { fontPx, type SYMBOLS } from './scales';

/** One entry of a legend: beside the drawing on the page, below it in a file. */
interface LegendItem {
  readonly text: string;
  /** Any CSS colour. */
  readonly color: string;
  readonly symbol?: (typeof SYMBOLS)[number];
  /** Marks without a line between them. */
  readonly isLoose?: boolean;
  readonly isDashed?: boolean;
}

export type DrawPlot = (plot: typeof PlotModule, width: number) => PlotModule.PlotOptions;

/** What the files of a part of a page's figures say of them. */
interface Subject {
  /** Device, shape and dtype. */
  readonly title: string;
  /** Drivers, and when it was measured. */
  readonly facts: readonly string[];
}
export const FigureSubject = createContext<Subject>({ title: '', facts: [] });

const NO_LEGEND: readonly LegendItem[] = [];

/** A narrower frame is still being laid out. */
const MIN_WIDTH = 120;
/** Space that is reserved while the library loads, px. */
const MOST_RESERVED = 210;
/**
 * A chart drawn by Observable Plot to the available width. Colours are CSS variables, so it follows
 * the colour scheme. It is a picture: a table beside it has its figures and where they lead.
 *
 * @param height of the drawing, which may set a larger one
 * @param summary what the chart shows, in words; it begins with the title of its file
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
  const subject = useContext(FigureSubject);
  const frame = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'drawn' | 'missing'>('loading');

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let isGone = false;
    let observer: ResizeObserver | undefined;

    const show = async () => {
      const Plot = await import('@observablehq/plot').catch(() => null);
      if (isGone) return;
      if (!Plot) return setState('missing');
      observer = new ResizeObserver(([entry]) => {
        const width = Math.floor(entry?.contentRect.width ?? 0);
        if (width < MIN_WIDTH) return;
        const svg = Plot.plot({
          height,
          ...draw(Plot, width),
          width,
          style: {
            background: 'transparent',
            color: 'var(--muted)',
            fontFamily: 'var(--font-geist-sans), Arial, sans-serif',
            fontSize: `${fontPx(width)}px`,
            overflow: 'visible',
          },
        });
        svg.style.setProperty('--plot-background', 'var(--surface)');
        // Plot names its groups, which have no role that could have a name; the frame says all.
        svg.setAttribute('aria-hidden', 'true');
        element.replaceChildren(svg);
        setState('drawn');
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
    const [title = ''] = summary.split(/[:.,] /);
    const about = {
      title: [title, subject.title || document.title.split(' · ')[0]].join(', '),
      facts: [
        ...(typeof caption === 'string' ? [caption] : []),
        ...subject.facts,
        `Data: ${DATA_LICENCE}. ${permalink(window.location)}`,
      ],
    };
    const items = frame.current?.closest('figure')?.querySelectorAll('li') ?? [];
    const svg = standaloneSvg(chart, about, [...items]);
    const file = type === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg);
    if (file) download(file, `${fileName}.${type}`);
  };

  return (
    <figure className="px-4 py-3">
      <figcaption className="mb-2 flex items-start justify-between gap-x-4 gap-y-1 text-xs text-muted max-sm:flex-col-reverse">
        <div>
          {caption}
          {legend.length > 0 && <Legend items={legend} />}
        </div>
        <div className="flex">
          {(['svg', 'png'] as const).map((type) => (
            <button
              key={type}
              type="button"
              disabled={state !== 'drawn'}
              onClick={() => void save(type)}
              aria-label={`Download ${type.toUpperCase()}`}
              className={SMALL_BUTTON}
            >
              {type.toUpperCase()}
            </button>
          ))}
        </div>
      </figcaption>
      {state === 'missing' && <Missing />}
      <div
        className={state === 'missing' ? 'hidden' : 'relative'}
        style={{ minHeight: Math.min(height, MOST_RESERVED) }}
      >
        <div ref={frame} role="img" aria-label={summary} />
        {state === 'loading' && (
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

/** In place of a chart: the library did not arrive. */
const Missing = () => (
  <Notice tone="amber">
    <p role="alert">This chart’s code did not load.</p>
    <Button className="mt-2" onClick={() => window.location.reload()}>
      Reload the page
    </Button>
  </Notice>
);

const SMALL_BUTTON = 'rounded-tile px-1 text-2xs hover:bg-sunken hover:text-ink disabled:invisible';

/** The series as they are drawn. */
const Legend = ({ items }: { items: readonly LegendItem[] }) => (
  <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 font-mono text-ink">
    {items.map((item) => (
      <li key={item.text} className="inline-flex items-center gap-1.5 [&>svg]:shrink-0">
        <Sample of={item} />
        {item.text}
      </li>
    ))}
  </ul>
);

/** Symbols as Plot draws them, around 0. */
const GLYPHS: Readonly<Record<(typeof SYMBOLS)[number], string>> = {
  circle: 'M3,0A3,3,0,1,1,-3,0A3,3,0,1,1,3,0Z',
  square: 'M-2.7,-2.7H2.7V2.7H-2.7Z',
  triangle: 'M0,-3.7L3.2,1.9H-3.2Z',
  diamond: 'M0,-4L2.3,0L0,4L-2.3,0Z',
  cross: 'M-3.2,-1.1H-1.1V-3.2H1.1V-1.1H3.2V1.1H1.1V3.2H-1.1V1.1H-3.2Z',
  star: 'M0,-4L0.9,-1.2H3.8L1.5,0.5L2.4,3.3L0,1.5L-2.4,3.3L-1.5,0.5L-3.8,-1.2H-0.9Z',
};

/** A line, its mark or both, as drawn. */
const Sample = ({ of: { color, isDashed, isLoose, symbol } }: { of: LegendItem }) => (
  <svg width="18" height="10" viewBox="-9 -5 18 10" aria-hidden="true" style={{ color }}>
    {!isLoose && (
      <path
        d="M-9,0H9"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={isDashed ? '5 3' : undefined}
      />
    )}
    {symbol && (
      <path d={GLYPHS[symbol]} fill="var(--surface)" stroke="currentColor" strokeWidth="1.25" />
    )}
  </svg>
);
