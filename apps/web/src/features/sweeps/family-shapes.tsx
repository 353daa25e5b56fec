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
import { ButtonAnchor, TextLink } from '@/ui/button';
import { type Fact, Facts, Rate } from '@/ui/facts';
import { InlineField, Select } from '@/ui/field';
import { formatCount, formatDuration, formatShape, plural, ratioText } from '@/ui/format';
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
  const [query, setQuery] = useQuery();
  const shapes = useShapes(id, tuning, initial);
  const state = STATE_IDS.find((each) => each === query.get('state')) ?? null;
  const rows = shownShapes(shapes, state);
  const untried = state === null ? shapes.filter(isUntried).length : 0;
  const paging = pagingOf(query, 'shapes', rows.length);
  const first = paging.index * paging.size;
  const base = `/api/v1/tunings/${encodeURIComponent(id)}/shapes`;
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2 text-[0.8125rem]">
        <InlineField id="shape-state" label="State">
          <Select
            id="shape-state"
            className="!w-auto"
            value={state ?? ''}
            onChange={({ target }) => setQuery({ state: target.value || null, shapes: null })}
            options={[
              ['', allText(shapes)],
              ...STATE_IDS.map((each) => [each, STATES[each]] as const),
            ]}
          />
        </InlineField>
        <span className="text-muted" aria-live="polite">
          {listedText(rows.length, shapes.length)}
        </span>
        <span className="ml-auto">
          <ButtonAnchor href={`${base}?format=csv`} download>
            Export shapes
          </ButtonAnchor>
        </span>
      </div>
      <DataTable
        caption="Shapes of the family"
        columns={columnsOf(tuning, varied)}
        rows={rows.slice(first, first + paging.size)}
        keyOf={({ shape }) => shape}
      />
      {untried > 0 && (
        <p className="mt-2 text-[0.8125rem] text-muted">
          {formatCount(untried)} not searched.{' '}
          <button
            type="button"
            className="underline decoration-line-strong underline-offset-3 hover:text-accent"
            onClick={() => setQuery({ state: 'missed', shapes: null })}
          >
            List them
          </button>
        </p>
      )}
      <Pager of="shapes" paging={paging} />
    </>
  );
}

/** What is listed where no state is asked for: what the search did not come to is not. */
export const allText = (shapes: readonly Pick<TunedShape, 'state' | 'tried'>[]): string =>
  shapes.some(isUntried) ? 'all but not searched' : 'all';

/** `1 of 50 shapes` */
export const listedText = (listed: number, all: number): string =>
  listed === all ? plural(all, 'shape') : `${formatCount(listed)} of ${plural(all, 'shape')}`;

/** A shape that the search did not come to. */
const isUntried = ({ state, tried }: Pick<TunedShape, 'state' | 'tried'>): boolean =>
  state === 'missed' && tried === 0;

/** Shapes whose search was cut short. */
export const begunOf = (shapes: readonly TunedShape[]): number =>
  shapes.filter((each) => each.state === 'missed' && !isUntried(each)).length;

/** By state; those that the search did not come to only where their state is asked for, and last. */
export const shownShapes = <T extends Pick<TunedShape, 'state' | 'tried'>>(
  shapes: readonly T[],
  state: TunedShape['state'] | null,
): T[] =>
  shapes
    .filter((each) => (state === null ? !isUntried(each) : each.state === state))
    .toSorted(
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
