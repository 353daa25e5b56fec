import { type LeaderboardRow, peakShare, type ReferenceFigure } from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { ComparableVariant } from '@/features/kernels/address';
import { ImportedBadge } from '@/features/results/outcome';
import { boundText } from '@/features/results/scale';
import { Ago } from '@/ui/facts';
import { formatInterval, formatNs, formatOfPeak, formatRate } from '@/ui/format';
import type { BoardQuery } from './query';
import {
  ABOUT,
  keyOf,
  peakOf,
  provenance,
  SourceMark,
  Sources,
  sourcesOf,
  What,
} from './reference-rows';
import { Author, medianOf, Placed, RateBar, rowGroups, shownRows } from './row-parts';

/** The rows on a phone: what a row says first, in the order of the table. */
export function Cards({
  rows,
  full,
  query,
  problem,
}: {
  rows: readonly LeaderboardRow[];
  /** The rate of a full bar. */
  full: number;
  query: BoardQuery;
  problem: Problem;
}) {
  return rowGroups(query).map(([title, isOf]) => {
    const cards = rows.filter(isOf);
    if (cards.length === 0) return null;
    return (
      <CardList
        key={title}
        title={title}
        note={`, ${cards[0]?.rate.unit}; a full bar is ${formatRate(full)}`}
      >
        {shownRows(cards, query).map((row) => (
          <Card key={row.resultId} row={row} full={full} problem={problem} />
        ))}
      </CardList>
    );
  });
}

function Card({ row, full, problem }: { row: LeaderboardRow; full: number; problem: Problem }) {
  const { device, highNs, invocations, lowNs, medianNs, rank, rate, unranked } = row;
  const peak = peakShare({ ...row, problem });
  return (
    <li className={CARD}>
      <div className="flex items-baseline gap-2">
        {rank !== null && (
          <span className="font-medium">
            {rank}
            <span className="sr-only">. place:</span>
          </span>
        )}
        <DeviceName device={device} />
        <span className="ml-auto text-xs text-muted">
          <Ago date={row.measuredAt} />
        </span>
      </div>
      <RateBar
        value={rate.value}
        max={full}
        text={formatRate(rate.value)}
        isRanked={rank !== null}
      />
      <p className="text-xs text-muted">
        {formatNs(medianNs)} {formatInterval(medianNs, lowNs, highNs)}
        {invocations > 1 && `, ${medianOf(invocations)}`}
        {peak && `, ${formatOfPeak(peak.share)} of peak (${boundText(peak)})`}
      </p>
      <p>
        <ComparableVariant address={row.address} resultId={row.resultId} on={device.name} />{' '}
        <Author of={row} /> <ImportedBadge of={row.imported} />
      </p>
      <Placed of={row} />
      {unranked && <p className="text-xs text-amber">Not ranked: {unranked}</p>}
    </li>
  );
}

/** The same on a phone. */
export function ReferenceCards({
  figures,
  full,
}: {
  figures: readonly ReferenceFigure[];
  full: number;
}) {
  if (figures.length === 0) return null;
  const sources = sourcesOf(figures);
  return (
    <CardList
      title="Reference"
      note={`, ${figures[0]?.rate.unit}; a full bar is ${formatRate(full)}; ${ABOUT}`}
      below={<Sources of={sources} />}
    >
      {figures.map((figure) => {
        const { hardware, interval, medianNs, rate } = figure;
        const peak = peakOf(figure);
        return (
          <li key={keyOf(figure)} className={CARD}>
            <p className="font-medium">
              {hardware ?? 'Unknown hardware'}{' '}
              <SourceMark text={provenance(figure)} among={sources} />
            </p>
            <RateBar
              {...{ value: rate.value, max: full, isRanked: false }}
              text={formatRate(rate.value)}
            />
            <p className="text-xs text-muted">
              {formatNs(medianNs)}
              {interval && ` ${formatInterval(medianNs, interval.lowNs, interval.highNs)}`}
              {peak && `, ${formatOfPeak(peak.share)} of peak (${boundText(peak)})`}
            </p>
            <p>
              <What figure={figure} />
            </p>
          </li>
        );
      })}
    </CardList>
  );
}

const CARD = 'space-y-1 px-3 py-2 text-[0.8125rem]';

function CardList({
  title,
  note,
  below,
  children,
}: {
  title: string;
  note: string;
  below?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <p className="mb-1 text-2xs font-normal text-muted">
        {title}
        {note}
      </p>
      <ul className="divide-y divide-line rounded-tile border border-line bg-surface">
        {children}
      </ul>
      {below && <div className="mt-2">{below}</div>}
    </section>
  );
}
