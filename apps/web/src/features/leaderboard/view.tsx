import {
  bestOfEach,
  bestOfKernels,
  type Leaderboard,
  METHODOLOGY_VERSION,
  PROFILES,
  type Profile,
  type ReferenceFigure,
  shownGroups,
} from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { DTYPES, InputError, shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Board } from './board';
import { HeatMapTable } from './heat-map-table';
import { isSame, openingShape, shapesOf } from './opening';
import { PortabilityTables } from './portability-tables';
import { type BoardQuery, boardHref, classesOf, type Group } from './query';
import { rowsBeside } from './reference-figure';

/** A view of the board with what it was made from. */
export interface LoadedView {
  /** As the API answers. */
  readonly answer: unknown;
  readonly board: Pick<Leaderboard, 'problem' | 'problems' | 'methodology'>;
  /** Whose devices are shown. */
  readonly groups: readonly Group[];
  /** Shapes that the reference has figures of, while it is shown. */
  readonly referenceShapes: readonly string[];
  /** Whether devices of this grid are shown, and not only the reference. */
  readonly hasOwn: boolean;
  readonly content: ReactNode;
}

/** With fewer GPUs of its own a grid shows the reference unasked. */
export const FEW_GPUS = 3;

/** Reads what a view shows. */
export async function loadView(store: Store, query: BoardQuery): Promise<LoadedView> {
  if (query.view === 'portability') return portabilityView(store, query);
  const { dtype, op, profile } = query;
  const { gpus } = await store.overview();
  const hasReference = query.groups?.includes('reference') ?? gpus < FEW_GPUS;
  // Figures of one op and dtype; the board's problem follows from them where no GPU has one.
  const figures = hasReference ? await store.references.list({ op, dtype }) : [];
  const view = query.view === 'heatmap' ? heatMapView : devicesView;
  const loaded = await view(store, query, hasReference, figures);
  return { ...loaded, referenceShapes: shapesOf(figures, profile) };
}

type View = (
  store: Store,
  query: BoardQuery,
  hasReference: boolean,
  figures: readonly ReferenceFigure[],
) => Promise<Omit<LoadedView, 'referenceShapes'>>;

const askedOf = ({ dtype, op, profile, shape }: BoardQuery) => ({
  op,
  dtype,
  profile,
  ...(shape !== undefined && { shape }),
});

/** The problem of the reference on which a view opens where none is asked for and no GPU has measured one. */
const openingOf = (
  { problems }: LoadedView['board'],
  { profile, shape }: BoardQuery,
  figures: readonly ReferenceFigure[],
): string | null =>
  shape === undefined && !problems.some(({ gpus }) => gpus > 0)
    ? openingShape(figures, profile)
    : null;

async function portabilityView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const groups = classesOf(query.groups);
  const { ship } = query;
  const report = await store
    .portability({
      ...askedOf(query),
      ...(groups && { groups }),
      ...(ship !== undefined && { ship }),
    })
    .catch((error: unknown) => {
      // A variant that no device shown has measured.
      if (error instanceof InputError) notFound();
      throw error;
    });
  return {
    answer: report,
    board: report,
    groups: report.groups,
    referenceShapes: [],
    hasOwn: report.devices > 0,
    content: <PortabilityTables report={report} query={query} />,
  };
}

const heatMapView: View = async (store, query, hasReference, figures) => {
  const groups = classesOf(query.groups);
  const grouped = { ...askedOf(query), ...(groups && { groups }) };
  const answer = await store.heatMap(grouped);
  const opening = openingOf(answer, query, figures);
  const map = opening === null ? answer : await store.heatMap({ ...grouped, shape: opening });
  const { problem } = map;
  const beside = figures.filter((figure) => problem && isSame(figure.problem, problem));
  const reference = rowsBeside(bestOfKernels(beside, query.profile), map.rows);
  return {
    answer,
    board: map,
    hasOwn: map.rows.length > 0,
    groups: [...map.groups, ...(hasReference ? (['reference'] as const) : [])],
    content:
      map.rows.length + reference.size > 0 ? (
        <HeatMapTable map={map} reference={reference} query={query} />
      ) : (
        await empty(store, query, figures)
      ),
  };
};

const devicesView: View = async (store, query, hasReference, figures) => {
  const asked = { ...askedOf(query), contributed: query.contributed ?? ('apart' as const) };
  const answer = await store.leaderboard(asked);
  const opening = openingOf(answer, query, figures);
  const board = opening === null ? answer : await store.leaderboard({ ...asked, shape: opening });
  const { problem, rows } = board;
  const present = rows.filter(({ author }) => !author).map(({ device }) => device.class);
  const groups: readonly Group[] = query.groups ?? [
    ...shownGroups(undefined, present),
    ...(present.length < rows.length ? (['contributed'] as const) : []),
    ...(hasReference ? (['reference'] as const) : []),
  ];
  const hasOwn = rows.some(
    ({ author, device }) =>
      groups.includes(device.class) && (!author || groups.includes('contributed')),
  );
  const beside = groups.includes('reference')
    ? figures.filter((figure) => problem && isSame(figure.problem, problem))
    : [];
  // A file that was imported as results may be what a figure was taken from.
  const reference = bestOfEach(beside, query.profile).filter(
    ({ hardware, medianNs }) =>
      !rows.some((row) => row.device.name === hardware && row.medianNs === medianNs),
  );
  const hasNoGpu = reference.length > 0 && !answer.problems.some(({ gpus }) => gpus > 0);
  return {
    answer,
    board,
    groups,
    hasOwn,
    content:
      problem && (hasOwn || reference.length > 0) ? (
        <>
          {hasNoGpu && <NoGpuYet own={answer} shown={board} query={query} />}
          <Board board={board} query={query} groups={groups} reference={reference} />
        </>
      ) : (
        await empty(store, { ...query, shape: problem ? shapeText(problem) : query.shape }, figures)
      ),
  };
};

/** Says that results were measured by an earlier version of the methodology. */
export function OldMethodology({ board: { methodology }, hasOwn }: LoadedView) {
  if (methodology >= METHODOLOGY_VERSION || !hasOwn) return null;
  return (
    <p className="mt-3 text-xs text-amber">
      Results of methodology {methodology}, never ranked beside those of {METHODOLOGY_VERSION}.
    </p>
  );
}

/** The board shows what nothing here has measured, and where its own results are. */
function NoGpuYet({
  own: { problems },
  shown,
  query,
}: {
  /** What the devices here have, none of them a GPU. */
  own: Leaderboard;
  shown: Leaderboard;
  query: BoardQuery;
}) {
  const here = shown.problem && shapeText(shown.problem);
  const [other] = problems.filter(({ problem }) => shapeText(problem) !== here);
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      This site has no {query.dtype} {query.op} result of a GPU under profile {query.profile} yet.
      {other && (
        <>
          {' '}
          Measured here, on software adapters or CPUs:{' '}
          <TextLink
            href={boardHref(query, {
              shape: shapeText(other.problem),
              groups: 'software,browser,cpu,reference',
            })}
          >
            {query.op} {formatShape(shapeText(other.problem))}
          </TextLink>
          .
        </>
      )}
    </p>
  );
}

/** Another profile under which a problem of this op and dtype was measured, here or elsewhere. */
async function profileWithResults(
  store: Store,
  { dtype, op, profile }: BoardQuery,
  figures: readonly ReferenceFigure[],
): Promise<Profile | undefined> {
  for (const other of PROFILES.filter((known) => known !== profile)) {
    if (openingShape(figures, other) !== null) return other;
    const { problems } = await store.leaderboard({ op, dtype, profile: other });
    if (problems.length > 0) return other;
  }
}

/** The board before its first result, or where a filter leaves nothing. */
async function empty(
  store: Store,
  query: BoardQuery,
  figures: readonly ReferenceFigure[],
): Promise<ReactNode> {
  const { dtype, op, profile, shape } = query;
  const { items } = await store.devices.list();
  const { problems } = await store.leaderboard({ op, dtype, profile });
  const elsewhere =
    problems.length > 0 ? undefined : await profileWithResults(store, query, figures);
  if (elsewhere) {
    return (
      <Empty title={`Nothing in ${DTYPES[dtype].words} was measured under profile ${profile} yet`}>
        <ButtonLink href={boardHref(query, { profile: elsewhere })} look="primary">
          Show profile {elsewhere}
        </ButtonLink>
      </Empty>
    );
  }
  if (items.some((device) => device.results > 0)) {
    const asked = new URLSearchParams({ op, dtype, profile, ...(shape && { shape }) });
    return (
      <Empty
        title={`No device shown has measured ${op} ${formatShape(shape ?? '')} ${dtype} under ${profile} yet`}
      >
        <p>Choose another problem or more groups above.</p>
        <ButtonLink href={`/best?${asked}`}>Find a kernel for this problem</ButtonLink>
      </Empty>
    );
  }
  return (
    <Empty title="No results yet">
      <p>A machine that is attached measures the starter suite by itself, in about a minute.</p>
      <ButtonLink href="/add" look="primary">
        Add your GPU
      </ButtonLink>
    </Empty>
  );
}
