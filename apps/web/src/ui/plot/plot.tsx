'use client';

import type * as PlotModule from '@observablehq/plot';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../button';
import { Notice } from '../notice';
import { download, GLYPHS, type LegendItem, pngOf, standaloneSvg } from './file';
import { isBetween, type Mark, MarkTable, marksOf, middleOf, nearest, Tip } from './marks';
import { clip, useZoom, zoomed } from './zoom';

/** @param shows whether a series of the legend is switched on */
export type DrawPlot = (
  plot: typeof PlotModule,
  width: number,
  shows: (series: string) => boolean,
) => PlotModule.PlotOptions;

const NO_LEGEND: readonly LegendItem[] = [];

/** A narrower frame is still being laid out. */
const MIN_WIDTH = 120;
/**
 * A chart drawn by Observable Plot to the available width. Its space is reserved while the
 * library loads, so nothing jumps. Colours are CSS variables, so it follows the colour scheme.
 * Marks with a `title` tell it on hover, by arrow keys, and as rows of a table. The x axis of one that
 * `zooms` shows the part that a drag selects, or that + halves; Escape shows all again.
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
  zooms = false,
}: {
  draw: DrawPlot;
  height: number;
  summary: string;
  caption: ReactNode;
  fileName: string;
  legend?: readonly LegendItem[];
  zooms?: boolean;
}) {
  const id = useId();
  const frame = useRef<HTMLElement>(null);
  /** Null until it is drawn. */
  const [marks, setMarks] = useState<readonly Mark[] | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [told, setTold] = useState<Mark | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(
    () => new Set(legend.filter(({ isOff }) => isOff).map(({ text }) => text)),
  );
  const [isTable, setTable] = useState(false);
  const scale = useRef<PlotModule.Scale | undefined>(undefined);
  const zoom = useZoom(zooms ? fileName : null, scale);
  const { range } = zoom;

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    let isGone = false;
    let observer: ResizeObserver | undefined;

    const show = async () => {
      const Plot = await import('@observablehq/plot').catch(() => null);
      if (isGone) return;
      if (!Plot) return setMissing(true);
      observer = new ResizeObserver(([entry]) => {
        const width = Math.floor(entry?.contentRect.width ?? 0);
        if (width < MIN_WIDTH) return;
        const svg = Plot.plot({
          ...zoomed(
            draw(Plot, width, (series) => !hidden.has(series)),
            range,
          ),
          width,
          height,
          style: {
            background: 'transparent',
            color: 'var(--muted)',
            fontFamily: 'var(--font-geist-sans), Arial, sans-serif',
            fontSize: '11px',
            overflow: 'visible',
          },
        });
        const focused = element.contains(document.activeElement) ? document.activeElement : null;
        if (focused) element.focus();
        element.replaceChildren(svg);
        const all = marksOf(svg);
        // What had the focus is drawn again: the keys go on from there.
        const same = all.find(({ text }) => text === focused?.getAttribute('aria-label')) ?? null;
        same?.element.focus();
        setTold(same);
        scale.current = svg.scale('x');
        const ends = scale.current?.range;
        if (range) clip(svg, ends, `${id}-clip`);
        setMarks(range ? all.filter((mark) => isBetween(mark, element, ends)) : all);
      });
      observer.observe(element);
    };
    void show();

    return () => {
      isGone = true;
      observer?.disconnect();
    };
  }, [draw, height, hidden, id, range]);

  const save = async (type: 'svg' | 'png') => {
    const chart = frame.current?.querySelector('svg');
    if (!chart) return;
    const svg = standaloneSvg(chart, summary, legend);
    const blob = type === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg);
    download(blob, `${fileName}.${type}`);
  };

  const onKey = (event: KeyboardEvent) => {
    if (zooms && ['+', '=', 'Escape'].includes(event.key)) {
      const at = frame.current && told ? middleOf(told, frame.current) : null;
      return event.key === 'Escape' ? zoom.reset() : zoom.halve(at);
    }
    const moves: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const move = moves[event.key];
    if (!marks || marks.length === 0 || move === undefined) return;
    event.preventDefault();
    const at = marks.findIndex(({ element }) => element === document.activeElement);
    marks[(Math.max(at, move < 0 ? 0 : -1) + move + marks.length) % marks.length]?.element.focus();
  };

  const toggle = (series: string) =>
    setHidden((before) => {
      const next = new Set(before);
      if (!next.delete(series)) next.add(series);
      return next;
    });

  return (
    <figure className="px-4 py-3">
      <figcaption className="mb-2 flex items-start justify-between gap-x-4 gap-y-1 text-xs text-muted max-sm:flex-col-reverse">
        <div>
          {caption}
          {legend.length > 0 && <Legend items={legend} hidden={hidden} toggle={toggle} />}
        </div>
        <div className="flex shrink-0 gap-2 max-sm:self-end">
          {range ? (
            <button type="button" onClick={zoom.reset} className={SMALL_BUTTON}>
              Reset zoom
            </button>
          ) : (
            zooms &&
            !isMissing && (
              <span className="text-2xs max-lg:hidden" title="By keyboard: + and Escape">
                drag to zoom
              </span>
            )
          )}
          <button
            type="button"
            disabled={!marks || marks.length === 0}
            aria-expanded={isTable}
            aria-controls={id}
            onClick={() => setTable(!isTable)}
            className={SMALL_BUTTON}
          >
            Table
          </button>
          {(['svg', 'png'] as const).map((type) => (
            <button
              key={type}
              type="button"
              disabled={!marks}
              onClick={() => void save(type)}
              title={`Download this chart as ${type.toUpperCase()}`}
              aria-label={`Download ${type.toUpperCase()}`}
              className={SMALL_BUTTON}
            >
              {type.toUpperCase()}
            </button>
          ))}
        </div>
      </figcaption>
      {isMissing && <Missing />}
      <div className={isMissing ? 'hidden' : 'relative'} style={{ height }}>
        <section
          ref={frame}
          aria-label={summary}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go through its marks
          tabIndex={0}
          onKeyDown={onKey}
          aria-keyshortcuts={zooms ? '+ Escape' : undefined}
          onFocus={(event) => {
            const target: Element = event.target;
            setTold(marks?.find(({ element }) => element === target) ?? null);
          }}
          onBlur={() => setTold(null)}
          onPointerMove={(event) => {
            if (!zoom.move(event)) setTold(nearest(marks, event.clientX, event.clientY));
          }}
          onPointerLeave={() => setTold(null)}
          {...zoom.handlers}
          className={`h-full ${zooms ? 'cursor-crosshair select-none' : ''}`}
        />
        {zoom.drag && (
          <div
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/15"
            style={{
              left: Math.min(...zoom.drag),
              width: Math.abs(zoom.drag[1] - zoom.drag[0]),
            }}
          />
        )}
        {!marks && !isMissing && (
          <p
            aria-hidden="true"
            className="absolute inset-0 grid place-items-center text-xs text-muted"
          >
            Drawing …
          </p>
        )}
        {told && frame.current && <Tip mark={told} frame={frame.current} />}
      </div>
      <div id={id}>{isTable && marks && <MarkTable caption={summary} marks={marks} />}</div>
    </figure>
  );
}

/** In place of a chart: the library did not arrive. */
const Missing = () => (
  <Notice tone="amber">
    <p role="alert">
      This chart cannot be drawn: its code did not load, as the connection failed or the site was
      updated meanwhile. The tables of this page do not need it.
    </p>
    <Button className="mt-2" onClick={() => window.location.reload()}>
      Reload the page
    </Button>
  </Notice>
);

const SMALL_BUTTON =
  'rounded-tile px-1 text-2xs hover:bg-sunken hover:text-ink aria-expanded:bg-sunken aria-expanded:text-ink disabled:invisible';

/** The series as they are drawn; a click switches one off and on. */
function Legend({
  items,
  hidden,
  toggle,
}: {
  items: readonly LegendItem[];
  hidden: ReadonlySet<string>;
  toggle: (series: string) => void;
}) {
  return (
    <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
      {items.map((item) => (
        <li key={item.text}>
          {item.isKey ? (
            <span className={LEGEND_ITEM}>
              <Sample of={item} />
              {item.text}
            </span>
          ) : (
            <button
              type="button"
              aria-pressed={!hidden.has(item.text)}
              onClick={() => toggle(item.text)}
              className={`${LEGEND_ITEM} hover:underline ${item.isOff ? '' : 'aria-[pressed=false]:line-through'}`}
            >
              <Sample of={item} />
              {item.text}
              {item.isOff && hidden.has(item.text) && (
                <span className="text-muted underline">off the scale, show</span>
              )}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

const LEGEND_ITEM = 'inline-flex items-center gap-1.5 font-mono text-ink';

/** A line, its mark or both, as drawn. */
const Sample = ({ of: { color, isDashed, isFilled, isLoose, symbol } }: { of: LegendItem }) => (
  <svg width="18" height="10" viewBox="-9 -5 18 10" aria-hidden="true" style={{ color }}>
    {!isLoose && (
      <path
        d="M-9,0H9"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeDasharray={isDashed ? '3 2' : undefined}
      />
    )}
    {symbol && (
      <path
        d={GLYPHS[symbol]}
        fill={isFilled ? 'currentColor' : 'var(--surface)'}
        stroke="currentColor"
        strokeWidth="1.25"
      />
    )}
  </svg>
);
