import type { DeviceClass, Leaderboard } from '@tilemark/core';
import { shownGroups } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { isInputError } from '@/server/known-errors';
import { Board } from './board';
import { HeatMapTable } from './heat-map-table';
import { NoResults } from './no-results';
import { PortabilityTables } from './portability-tables';
import { type BoardQuery, classesOf, type Group } from './query';

/** A view of the board with what it was made from. */
export interface LoadedView {
  /** As the API answers. */
  readonly answer: unknown;
  readonly board: Pick<Leaderboard, 'problem' | 'problems'>;
  /** Whose devices are shown. */
  readonly groups: readonly Group[];
  readonly content: ReactNode;
}

/** Reads what a view shows. */
export async function loadView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const { op, dtype, profile, shape, ship } = query;
  const problem = { op, dtype, profile, ...(shape !== undefined && { shape }) };
  const groups = classesOf(query.groups);
  const grouped = { ...problem, ...(groups && { groups }) };
  if (query.view === 'heatmap') {
    const map = await store.heatMap(grouped);
    return {
      ...{ answer: map, board: map, groups: map.groups },
      content:
        map.rows.length > 0 ? <HeatMapTable map={map} query={query} /> : await empty(store, query),
    };
  }
  if (query.view === 'portability') {
    const report = await store
      .portability({ ...grouped, ...(ship !== undefined && { ship }) })
      .catch((error: unknown) => {
        // A variant that no device shown has measured.
        if (isInputError(error)) notFound();
        throw error;
      });
    return {
      ...{ answer: report, board: report, groups: report.groups },
      content: <PortabilityTables report={report} query={query} />,
    };
  }
  const board = await store.leaderboard(problem);
  const present = board.rows.map(({ device }) => device.class);
  const shown: readonly Group[] = query.groups ?? shownGroups(undefined, present);
  const hidden = hiddenClasses(present, shown);
  const isEmpty = hidden.length === present.length && !shown.includes('published');
  return {
    ...{ answer: board, board, groups: shown },
    content: isEmpty ? (
      await empty(store, query)
    ) : (
      <Board board={board} query={query} groups={shown} />
    ),
  };
}

const hiddenClasses = (present: readonly DeviceClass[], shown: readonly Group[]) =>
  present.filter((kind) => !shown.includes(kind));

async function empty(store: Store, query: BoardQuery): Promise<ReactNode> {
  const { items } = await store.devices.list();
  return <NoResults hasAny={items.some((device) => device.results > 0)} query={query} />;
}
