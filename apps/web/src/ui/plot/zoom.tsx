'use client';

import type * as PlotModule from '@observablehq/plot';
import { type PointerEvent, type RefObject, useMemo, useRef, useState } from 'react';
import { useQuery } from '../use-query';

/** A range of an x axis; moments in ms. */
type Range = readonly [from: number, to: number];

/** A narrower selection is a click, px. */
const LEAST_DRAG = 8;

/** The smallest part of a range that is still told apart, on the way in. */
const LEAST_SPAN = 1e-9;

const rangeOf = (text: string | null): Range | null => {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('..').map(Number);
  return from < to ? [from, to] : null;
};

/**
 * The part of a chart's x axis that is shown, kept in the address as `zoom.NAME=FROM..TO`: a drag
 * selects it, and a step of the keyboard halves it.
 *
 * @param name of the chart; null: it does not zoom
 * @param scale its x axis as drawn last
 */
export function useZoom(name: string | null, scale: RefObject<PlotModule.Scale | undefined>) {
  const [query, setQuery] = useQuery();
  const text = name === null ? null : query.get(`zoom.${name}`);
  const range = useMemo(() => rangeOf(text), [text]);
  const [drag, setDrag] = useState<Range | null>(null);
  const set = (next: Range | null) => {
    if (name !== null) setQuery({ [`zoom.${name}`]: next?.map(short).join('..') ?? null });
  };
  /** Shows what lies between two places, px from the left edge of the chart. */
  const select = (from: number, to: number) => {
    const { invert, range: ends = [] } = scale.current ?? {};
    const [first = 0, last = 0] = [...ends].map(Number);
    const inside = (x: number) => Number(invert?.(Math.min(Math.max(x, first), last)));
    const next = [inside(Math.min(from, to)), inside(Math.max(from, to))] as const;
    if (next[1] - next[0] > LEAST_SPAN * Math.abs(next[1])) set(next);
  };
  const placeOf = ({ clientX, currentTarget }: PointerEvent) =>
    clientX - currentTarget.getBoundingClientRect().left;
  const wasDrag = useRef(false);
  return {
    range,
    drag,
    reset: () => set(null),
    /** Halves what is shown, around a place or the middle. */
    halve: (around: number | null) => {
      const [first = 0, last = 0] = [...(scale.current?.range ?? [])].map(Number);
      const middle = around ?? (first + last) / 2;
      const half = (last - first) / 4;
      const from = Math.min(Math.max(middle - half, first), last - 2 * half);
      select(from, from + 2 * half);
    },
    handlers:
      name === null
        ? {}
        : {
            onPointerDown: (event: PointerEvent) => {
              if (event.button !== 0 || event.pointerType === 'touch') return;
              wasDrag.current = false;
              setDrag([placeOf(event), placeOf(event)]);
            },
            onPointerUp: (event: PointerEvent) => {
              if (drag && Math.abs(drag[1] - drag[0]) >= LEAST_DRAG) {
                wasDrag.current = true;
                select(drag[0], placeOf(event));
              }
              setDrag(null);
            },
            // A drag that ends on a mark does not open it.
            onClickCapture: (event: { preventDefault(): void; stopPropagation(): void }) => {
              if (!wasDrag.current) return;
              wasDrag.current = false;
              event.preventDefault();
              event.stopPropagation();
            },
            onDragStart: (event: { preventDefault(): void }) => event.preventDefault(),
          },
    /** Follows the pointer; whether it is selecting. */
    move: (event: PointerEvent): boolean => {
      if (!drag) return false;
      setDrag([drag[0], placeOf(event)]);
      return true;
    },
  };
}

/** Moments in ms have more digits than measured values. */
const short = (value: number): string =>
  String(value > 1e9 ? Math.round(value) : Number(value.toPrecision(6)));

/** The options of a plot with its x axis cut to a range. */
export function zoomed(
  options: PlotModule.PlotOptions,
  range: Range | null,
): PlotModule.PlotOptions {
  if (!range) return options;
  const { ticks, type } = options.x ?? {};
  const isTime = type === 'utc' || type === 'time';
  const isInside = (tick: unknown) => Number(tick) >= range[0] && Number(tick) <= range[1];
  return {
    ...options,
    x: {
      ...options.x,
      ...(isTime
        ? { domain: range.map((at) => new Date(at)) }
        : { type: type ?? 'linear', domain: [...range] }),
      nice: false,
      ...(Array.isArray(ticks) && { ticks: ticks.filter(isInside) }),
    },
  };
}

/** Cuts what is drawn outside of the x axis off. */
export function clip(svg: Element, ends: Iterable<unknown> | undefined, id: string): void {
  const [left = 0, right = 0] = [...(ends ?? [])].map(Number);
  const box = document.createElementNS(svg.namespaceURI, 'clipPath');
  box.id = id;
  box.innerHTML = `<rect x="${left - 4}" y="-100" width="${right - left + 8}" height="2000"/>`;
  svg.prepend(box);
  for (const part of svg.querySelectorAll('g[data-mark]')) {
    if (!/axis|grid/.test(part.getAttribute('data-mark') ?? '')) {
      part.setAttribute('clip-path', `url(#${id})`);
    }
  }
}
