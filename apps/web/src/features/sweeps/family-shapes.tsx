'use client';

import {
  type FamilyTuning,
  familyById,
  type Sweep,
  type TunedShape,
  tunedShapeSchema,
} from '@tilemark/core';
import { kernelOf } from '@tilemark/kernels';
import { useEffect, useState } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { type Fact, Facts, Rate } from '@/ui/facts';
import { formatCount, formatDuration, formatShape, ratioText } from '@/ui/format';
import { Pager, pagingOf } from '@/ui/pager';
import { type Column, DataTable } from '@/ui/table';
import { useQuery } from '@/ui/use-query';
import { FastestTime, phaseFact, searchedText, usedText } from './tuning';

/** A sweep that searches a family of shapes: how far it is, and what leads on each shape. */

/** How far the search of a family is, or what it came to. */
export function FamilyFacts({
  tuning,
  begun,
  status,
  isOver,
}: {
  tuning: FamilyTuning;
  /** Shapes whose search was cut short. */
  begun: number;
  status: Sweep['status'];
  isOver: boolean;
}) {
  const { decision, device, dtype, profile, shapes, skipped, suite, tried } = tuning;
  const cut = begun > 0 ? `, ${formatCount(begun)} not finished` : '';
  const left = skipped.length > 0 ? `, ${formatCount(skipped.length)} do not fit the device` : '';
  const running = status === 'queued' ? '' : shapes.running.map(formatShape).join(', ');
  const facts: Fact[] = [
    {
      name: 'Shapes searched',
      value: `${searchedText(tuning)}${cut}${left}`,
    },
    ...(isOver ? [] : [{ name: 'Now', value: running || 'waiting for the device' }]),
    ...(isOver && shapes.done === 0
      ? [{ name: 'Winners', value: 'none: no shape was searched to its end' }]
      : []),
    { name: 'Variants tried', value: formatCount(tried) },
    { name: 'Time used, without waiting', value: usedText(tuning) },
    ...(isOver
      ? []
      : [
          {
            name: 'Time left',
            about: 'Of the device, without waiting',
            value: leftText(tuning),
          },
        ]),
    phaseFact(tuning, isOver),
    ...(decision ? [{ name: 'Duels', value: formatCount(decision.duels) }] : []),
    { name: 'Family', value: `${suite}, ${dtype}, profile ${profile}` },
    { name: 'Device', value: <DeviceName device={device} /> },
  ];
  return <Facts facts={facts} />;
}

/** Before the first shape is done its time bounds a search, since a family has more than fits. */
export function leftText({
  budgetSeconds,
  leftSeconds,
  usedSeconds,
}: Pick<FamilyTuning, 'budgetSeconds' | 'leftSeconds' | 'usedSeconds'>): string {
  const left = Math.max(0, budgetSeconds - usedSeconds);
  return leftSeconds === null
    ? `at most ${formatDuration(left)}`
    : `about ${formatDuration(leftSeconds)}`;
}

const STATES: Readonly<Record<TunedShape['state'], string>> = {
  running: 'being searched',
  done: 'searched',
  waiting: 'waiting',
  missed: 'not searched',
  skipped: 'skipped',
};
const STATE_IDS = Object.keys(STATES) as TunedShape['state'][];

/** The list is read again at most this often, ms. */
const READ_EVERY_MS = 2_000;

/** The shapes of a family with the fastest variant of each, kept current while the search runs. */
export function FamilyShapes({
  id,
  tuning,
  varied,
  initial,
}: {
  id: string;
  tuning: FamilyTuning;
  /** By kernel, the tunables in which its variants differ. */
  varied: ReadonlyMap<string, ReadonlySet<string>>;
  /** As the page was rendered. */
  initial: readonly TunedShape[];
}) {
  const [query] = useQuery();
  const shapes = inOrder(useShapes(id, tuning, initial));
  const paging = pagingOf(query, 'shapes', shapes.length);
  const first = paging.index * paging.size;
  return (
    <>
      <DataTable
        caption="Shapes of the family"
        columns={columnsOf(tuning, varied)}
        rows={shapes.slice(first, first + paging.size)}
        keyOf={({ shape }) => shape}
      />
      <Pager of="shapes" paging={paging} />
    </>
  );
}

/** A shape that the search did not come to. */
const isUntried = ({ state, tried }: Pick<TunedShape, 'state' | 'tried'>): boolean =>
  state === 'missed' && tried === 0;

/** Shapes whose search was cut short. */
export const begunOf = (shapes: readonly TunedShape[]): number =>
  shapes.filter((each) => each.state === 'missed' && !isUntried(each)).length;

/** By state; those that the search did not come to last. */
export const inOrder = <T extends Pick<TunedShape, 'state' | 'tried'>>(shapes: readonly T[]): T[] =>
  shapes.toSorted(
    (a, b) =>
      STATE_IDS.indexOf(a.state) - STATE_IDS.indexOf(b.state) ||
      Number(isUntried(a)) - Number(isUntried(b)),
  );

/** A shape that was being searched when the time was used up has candidates that were tried. */
export function stateText({ state, tried, why }: Pick<TunedShape, 'state' | 'tried' | 'why'>) {
  const text = state === 'missed' && tried > 0 ? 'not finished' : STATES[state];
  return why ? `${text}: ${why}` : text;
}

const columnsOf = (
  tuning: FamilyTuning,
  varied: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Column<TunedShape>[] => [
  {
    head: 'Shape',
    cell: ({ best, shape }) =>
      best ? (
        <TextLink href={bestHref(tuning, shape)}>{formatShape(shape)}</TextLink>
      ) : (
        formatShape(shape)
      ),
  },
  { head: 'State', cell: stateText },
  {
    head: tuning.decision ? 'Fastest' : 'Fastest so far',
    cell: ({ best, state }) =>
      best ? (
        <VariantLink
          address={best.address}
          resultId={best.resultId}
          varied={varied.get(kernelOf(best.address))}
        />
      ) : state === 'done' ? (
        'nothing was measured'
      ) : (
        '–'
      ),
  },
  { head: 'Rate', isFigure: true, cell: ({ best }) => (best ? <Rate of={best.rate} /> : '–') },
  { head: 'Time', isFigure: true, cell: ({ best }) => (best ? <FastestTime of={best} /> : '–') },
  { head: 'Tried', isFigure: true, cell: ({ tried }) => formatCount(tried) },
  {
    head: 'Duel',
    title: 'Speed of the fastest relative to the one nearest to it, in turns; 95% interval',
    isFigure: true,
    cell: ({ best, duel }) => (best && duel ? ratioText(seenFrom(best.address, duel)) : '–'),
  },
];

/** The speed of a side of a duel relative to the other. */
const seenFrom = (address: string, { a, high, low, ratio }: NonNullable<TunedShape['duel']>) =>
  address === a ? { ratio, low, high } : { ratio: 1 / ratio, low: 1 / high, high: 1 / low };

/** The lookup that answers with what was found. */
function bestHref({ device, dtype, profile, suite }: FamilyTuning, shape: string): string {
  const op = familyById(suite)?.op ?? 'matmul';
  return `/best?${new URLSearchParams({ op, shape, dtype, profile, device: device.key })}`;
}

/** The list as it was rendered, and read again as the search goes on. */
function useShapes(
  id: string,
  { decision, shapes: { running }, tried, usedSeconds }: FamilyTuning,
  initial: readonly TunedShape[],
): readonly TunedShape[] {
  const [shapes, setShapes] = useState(initial);
  const [rendered, setRendered] = useState(initial);
  if (initial !== rendered) {
    setRendered(initial);
    setShapes(initial);
  }
  const step = `${tried} ${usedSeconds} ${running.join()} ${decision !== null}`;
  const [read, setRead] = useState({ step, at: 0 });
  useEffect(() => {
    if (step === read.step) return;
    const waitMs = Math.max(0, read.at + READ_EVERY_MS - Date.now());
    const timer = setTimeout(async () => {
      try {
        const response = await fetch(`/api/v1/tunings/${encodeURIComponent(id)}/shapes`);
        if (response.ok) setShapes(tunedShapeSchema.array().parse((await response.json()).items));
      } catch {
        // The next step reads it again; the page says that its connection is lost.
      }
      setRead({ step, at: Date.now() });
    }, waitMs);
    return () => clearTimeout(timer);
  }, [id, step, read]);
  return shapes;
}
