'use client';

import type * as PlotModule from '@observablehq/plot';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TextLink } from './button';
import { download, GLYPHS, type LegendItem, pngOf, standaloneSvg } from './plot-file';
import { TablePanel } from './table';

/** @param shows whether a series of the legend is switched on */
export type DrawPlot = (
  plot: typeof PlotModule,
  width: number,
  shows: (series: string) => boolean,
) => PlotModule.PlotOptions;

const NO_LEGEND: readonly LegendItem[] = [];

/** A narrower frame is still being laid out. */
const MIN_WIDTH = 120;
/** A pointer this near to a mark means it, px. */
const REACH = 24;
const TIP_WIDTH = 260;

/** A mark with a `title` channel, `name: value`, which leads somewhere if it has a `href` channel. */
interface Mark {
  readonly element: Element & HTMLOrSVGElement;
  readonly text: string;
  readonly href: string | null;
}

/**
 * A chart drawn by Observable Plot to the available width. Its space is reserved while the
 * library loads, so nothing jumps. Colours are CSS variables, so it follows the colour scheme.
 * Marks with a `title` tell it on hover, by arrow keys, and as rows of a table.
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
  const id = useId();
  const frame = useRef<HTMLElement>(null);
  /** Null until it is drawn. */
  const [marks, setMarks] = useState<readonly Mark[] | null>(null);
  const [told, setTold] = useState<Mark | null>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [isTable, setTable] = useState(false);

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
          ...draw(Plot, width, (series) => !hidden.has(series)),
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
        element.replaceChildren(svg);
        setTold(null);
        setMarks(marksOf(svg));
      });
      observer.observe(element);
    };
    void show();

    return () => {
      isGone = true;
      observer?.disconnect();
    };
  }, [draw, height, hidden]);

  const save = async (type: 'svg' | 'png') => {
    const chart = frame.current?.querySelector('svg');
    if (!chart) return;
    const svg = standaloneSvg(chart, summary, legend);
    const blob = type === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg);
    download(blob, `${fileName}.${type}`);
  };

  const step = (event: KeyboardEvent) => {
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
      <figcaption className="mb-2 flex items-start justify-between gap-4 text-xs text-muted">
        <div>
          {caption}
          {legend.length > 0 && <Legend items={legend} hidden={hidden} toggle={toggle} />}
        </div>
        <div className="flex shrink-0 gap-2">
          {marks && marks.length > 0 && (
            <button
              type="button"
              aria-expanded={isTable}
              aria-controls={id}
              onClick={() => setTable(!isTable)}
              className={SMALL_BUTTON}
            >
              Table
            </button>
          )}
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
      <div className="relative" style={{ height }}>
        <section
          ref={frame}
          aria-label={summary}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys go through its marks
          tabIndex={0}
          onKeyDown={step}
          onFocus={(event) => {
            const target: Element = event.target;
            setTold(marks?.find(({ element }) => element === target) ?? null);
          }}
          onBlur={() => setTold(null)}
          onPointerMove={({ clientX, clientY }) => setTold(nearest(marks, clientX, clientY))}
          onPointerLeave={() => setTold(null)}
          className="h-full"
        />
        {!marks && (
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

const SMALL_BUTTON = 'rounded-tile px-1 text-2xs hover:bg-sunken hover:text-ink disabled:invisible';

/** Takes the marks out of a plot: their titles become names, and tooltips of our own. */
function marksOf(svg: Element): Mark[] {
  // Plot names its groups, which have no role that could have a name.
  for (const part of svg.querySelectorAll('g[aria-label]')) {
    part.setAttribute('data-mark', part.getAttribute('aria-label') ?? '');
    part.removeAttribute('aria-label');
  }
  return [...svg.querySelectorAll('title')].flatMap((title) => {
    const shape = title.parentElement;
    if (!shape) return [];
    const text = title.textContent ?? '';
    title.remove();
    const link = shape.closest('a');
    const element = link ?? shape;
    if (!link) element.setAttribute('role', 'img');
    element.setAttribute('aria-label', text);
    element.setAttribute('tabindex', '-1');
    return [{ element, text, href: link?.getAttribute('xlink:href') ?? null }];
  });
}

/** The mark under the pointer, or the one whose middle is nearest to it. */
function nearest(marks: readonly Mark[] | null, x: number, y: number): Mark | null {
  let [found, least]: [Mark | null, number] = [null, REACH];
  for (const mark of marks ?? []) {
    const box = mark.element.getBoundingClientRect();
    const inside = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    const away = Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
    if (inside && box.width * box.height < REACH ** 2 * 4) return mark;
    const distance = inside ? Math.min(away, REACH / 2) : away;
    if (distance < least) [found, least] = [mark, distance];
  }
  return found;
}

function Tip({ mark: { element, href, text }, frame }: { mark: Mark; frame: HTMLElement }) {
  const box = element.getBoundingClientRect();
  const around = frame.getBoundingClientRect();
  const left = Math.min(
    Math.max(0, box.left + box.width / 2 - around.left - TIP_WIDTH / 2),
    Math.max(0, around.width - TIP_WIDTH),
  );
  return (
    <p
      aria-hidden="true"
      style={{ left, bottom: around.bottom - box.top + 6, maxWidth: TIP_WIDTH }}
      className="pointer-events-none absolute z-10 rounded-tile border border-line-strong bg-surface px-2 py-1 text-xs break-words"
    >
      {text}
      {href && <span className="text-muted"> Enter or click opens it.</span>}
    </p>
  );
}

function MarkTable({ caption, marks }: { caption: string; marks: readonly Mark[] }) {
  return (
    <div className="mt-2 max-h-80 overflow-y-auto">
      <TablePanel caption={caption}>
        <thead>
          <tr>
            <th scope="col">Mark</th>
            <th scope="col" className="figure">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {marks.map(({ href, text }, index) => {
            const [name = text, ...value] = text.split(': ');
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: marks stay where they are
              <tr key={index}>
                <th scope="row">{href ? <TextLink href={href}>{name}</TextLink> : name}</th>
                <td className="figure">{value.join(': ')}</td>
              </tr>
            );
          })}
        </tbody>
      </TablePanel>
    </div>
  );
}

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
      {items.map(({ color, isDashed, isFilled, symbol, text }) => (
        <li key={text}>
          <button
            type="button"
            aria-pressed={!hidden.has(text)}
            onClick={() => toggle(text)}
            className="inline-flex items-center gap-1.5 font-mono text-ink hover:underline aria-[pressed=false]:line-through"
          >
            <svg width="18" height="10" viewBox="-9 -5 18 10" aria-hidden="true" style={{ color }}>
              <path
                d="M-9,0H9"
                stroke="currentColor"
                strokeWidth="1.5"
                strokeDasharray={isDashed ? '3 2' : undefined}
              />
              {symbol && (
                <path
                  d={GLYPHS[symbol]}
                  fill={isFilled ? 'currentColor' : 'var(--surface)'}
                  stroke="currentColor"
                  strokeWidth="1.25"
                />
              )}
            </svg>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
