import {
  bestOfEach,
  bestOfKernels,
  type HeatMap,
  type Leaderboard,
  PROFILES,
  type Profile,
  type ReferenceFigure,
  shownGroups,
} from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { isInputError, opOf, shapeText, volume } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Board } from './board';
import {
  bestsOfCells,
  bestsOfFigures,
  bestsOfRows,
  type Faster,
  fasterThan,
} from './faster-profile';
import { HeatMapTable } from './heat-map-table';
import { PortabilityTables } from './portability-tables';
import { type BoardQuery, boardHref, classesOf, type Group } from './query';
import { rowsBeside } from './reference-figure';

/** A view of the board with what it was made from. */
export interface LoadedView {
  /** As the API answers. */
  readonly answer: unknown;
  readonly board: Pick<Leaderboard, 'problem' | 'problems' | 'methodology' | 'methodologies'>;
  /** Whose devices are shown. */
  readonly groups: readonly Group[];
  /** Shapes that the reference has figures of, while it is shown. */
  readonly referenceShapes: readonly string[];
  /** Whether devices of this grid are shown, and not only the reference. */
  readonly hasOwn: boolean;
  readonly content: ReactNode;
}

/** Reads what a view shows. */
export async function loadView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const { op, dtype, methodology, profile, shape, ship } = query;
  const problem = {
    ...{ op, dtype, profile },
    ...(shape !== undefined && { shape }),
    ...(methodology !== undefined && { methodology }),
  };
  const groups = classesOf(query.groups);
  const grouped = { ...problem, ...(groups && { groups }) };
  if (query.view === 'portability') {
    const report = await store
      .portability({ ...grouped, ...(ship !== undefined && { ship }) })
      .catch((error: unknown) => {
        // A variant that no device shown has measured.
        if (isInputError(error)) notFound();
        throw error;
      });
    return {
      ...{ answer: report, board: report, groups: report.groups, referenceShapes: [] },
      hasOwn: report.devices > 0,
      content: <PortabilityTables report={report} query={query} />,
    };
  }
  const { gpus } = await store.overview();
  const hasReference = query.groups?.includes('reference') ?? gpus < FEW_GPUS;
  // Figures of one op and dtype; the board's problem follows from them where no GPU has one.
  const figures = hasReference ? await store.references.list({ op, dtype }) : [];
  const openingOf = ({ problems }: LoadedView['board']) =>
    shape === undefined && !problems.some((each) => each.gpus > 0)
      ? openingShape(figures, profile)
      : null;
  const besideOf = ({ problem }: LoadedView['board']) =>
    figures.filter((each) => problem && isSame(each.problem, problem));
  const referenceShapes = shapesOf(figures, profile);
  if (query.view === 'heatmap') {
    const own = await store.heatMap(grouped);
    const opening = openingOf(own);
    const map = opening === null ? own : await store.heatMap({ ...grouped, shape: opening });
    const best = bestOfKernels(besideOf(map), profile);
    const reference = rowsBeside(best, map.rows);
    const repeated = [...best.keys()].filter((hardware) => !reference.has(hardware));
    const faster = await fasterUnder(store, map, besideOf(map), query);
    return {
      ...{ answer: own, board: map, referenceShapes, hasOwn: map.rows.length > 0 },
      groups: [...map.groups, ...(hasReference ? (['reference'] as const) : [])],
      content:
        map.rows.length + reference.size > 0 ? (
          <>
            {opening !== null && (
              <WhereMost of={wideShape(figures, profile)} here={opening} query={query} />
            )}
            <HeatMapTable {...{ map, reference, repeated, faster, query }} />
          </>
        ) : (
          await empty(store, query)
        ),
    };
  }
  const asked = { ...problem, contributed: query.contributed ?? ('apart' as const) };
  const own = await store.leaderboard(asked);
  const opening = openingOf(own);
  const board = opening === null ? own : await store.leaderboard({ ...asked, shape: opening });
  const present = board.rows.filter(({ author }) => !author).map(({ device }) => device.class);
  const hasContributed = present.length < board.rows.length;
  const shown: readonly Group[] = query.groups ?? [
    ...shownGroups(undefined, present),
    ...(hasContributed ? (['contributed'] as const) : []),
    ...(hasReference ? (['reference'] as const) : []),
  ];
  const hasRows = board.rows.some(
    ({ author, device }) =>
      shown.includes(device.class) && (!author || shown.includes('contributed')),
  );
  const answered = { answer: own, board, groups: shown, referenceShapes, hasOwn: hasRows };
  if (board.problem && own.problems.length > 0 && !hasRows && !shown.includes('reference')) {
    const here = { ...query, shape: shapeText(board.problem) };
    return { ...answered, content: await empty(store, here) };
  }
  if (!board.problem || !(hasRows || shown.includes('reference'))) {
    const others = PROFILES.filter((each) => each !== profile);
    const hasOwn = async (each: Profile) =>
      (await store.leaderboard({ op, dtype, profile: each })).problems.length > 0;
    const had = await Promise.all(
      others.map(async (each) => openingShape(figures, each) !== null || (await hasOwn(each))),
    );
    const elsewhere = others.find((_, index) => had[index]);
    return { ...answered, content: await empty(store, query, elsewhere) };
  }
  // A file that was imported as results may be what a figure was taken from.
  const isRow = ({ hardware, medianNs }: ReferenceFigure) =>
    board.rows.some((row) => row.device.name === hardware && row.medianNs === medianNs);
  const reference = shown.includes('reference')
    ? bestOfEach(besideOf(board), profile).filter((figure) => !isRow(figure))
    : null;
  if (!hasRows && !reference?.length) {
    return { ...answered, content: await empty(store, query) };
  }
  const sizes = await store.devices.sizes(
    board.rows.map(({ device }) => device.key),
    { op, dtype, profile },
    board.methodology,
  );
  return {
    ...answered,
    content: (
      <>
        {opening !== null && <NoGpuYet own={own} shown={board} query={query} />}
        <Board board={board} query={query} groups={shown} reference={reference} sizes={sizes} />
      </>
    ),
  };
}

/** On which devices of a heat map something faster is known under another profile. */
async function fasterUnder(
  store: Store,
  { problem, rows }: HeatMap,
  figures: readonly ReferenceFigure[],
  { dtype, op, profile }: BoardQuery,
): Promise<Faster[]> {
  if (!problem) return [];
  const here = [...bestsOfCells(rows), ...bestsOfFigures(bestOfKernels(figures, profile))];
  return Promise.all(
    PROFILES.filter((each) => each !== profile).map(async (other) => {
      const asked = { op, dtype, profile: other, shape: shapeText(problem) };
      const there = [
        ...bestsOfRows((await store.leaderboard(asked)).rows),
        ...bestsOfFigures(bestOfKernels(figures, other)),
      ];
      return { profile: other, devices: fasterThan(here, there) };
    }),
  );
}

/** With fewer GPUs of its own a grid shows the reference unasked. */
export const FEW_GPUS = 3;

const isSame = (a: ReferenceFigure['problem'], b: ReferenceFigure['problem']): boolean =>
  a.op === b.op && a.dtype === b.dtype && shapeText(a) === shapeText(b);

/** The shapes of figures that a board of the profile shows, by work. */
function shapesOf(figures: readonly ReferenceFigure[], profile: Profile): string[] {
  const shown = figures.filter(
    ({ by, ...each }) => by.kind !== 'kernel' || each.profile === profile,
  );
  const problems = shown.map(({ problem }) => problem).toSorted((a, b) => volume(a) - volume(b));
  return [...new Set(problems.map(shapeText))];
}

/**
 * The problem with most beside a kernel of ours among the figures of reference, the largest of those;
 * the same in every view.
 */
const openingShape = (figures: readonly ReferenceFigure[], profile: Profile): string | null =>
  mostShape(figures, (about) => {
    const beside = bestOfEach(about, profile).filter(({ by }) => by.kind !== 'report');
    return bestOfKernels(about, profile).size && beside.length;
  });

/** The problem with most kernels among the figures of reference, the largest of those. */
const wideShape = (figures: readonly ReferenceFigure[], profile: Profile): string | null =>
  mostShape(figures, (about) => [...bestOfKernels(about, profile).values()].flat().length);

function mostShape(
  figures: readonly ReferenceFigure[],
  countOf: (about: readonly ReferenceFigure[]) => number,
): string | null {
  const problems = [...new Map(figures.map((each) => [shapeText(each.problem), each.problem]))];
  const rated = problems.map(([shape, of]) => ({
    shape,
    count: countOf(figures.filter((each) => isSame(each.problem, of))),
    bytes: opOf(of).bytes(of.shape, of.dtype),
  }));
  const [best] = rated.toSorted((a, b) => b.count - a.count || b.bytes - a.bytes);
  return best && best.count > 0 ? best.shape : null;
}

/** Where a heat map that opened on the board's problem would have more to show. */
function WhereMost({ of, here, query }: { of: string | null; here: string; query: BoardQuery }) {
  if (of === null || of === here) return null;
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      More kernels were compared at{' '}
      <TextLink href={boardHref(query, { shape: of })}>{formatShape(of)}</TextLink>.
    </p>
  );
}

/** Why the board shows a problem that nothing here has measured, and where its own results are. */
function NoGpuYet({
  own,
  shown,
  query,
}: {
  /** What the devices here have by the current protocol, none of them a GPU. */
  own: Leaderboard;
  shown: Leaderboard;
  query: BoardQuery;
}) {
  const { methodologies, methodology, problems } = own;
  const here = shown.problem && shapeText(shown.problem);
  const [other] = problems.filter(({ problem }) => shapeText(problem) !== here);
  const [earlier] = methodologies.filter((version) => version < methodology);
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      No GPU attached to this site has an {query.dtype} result by the current protocol yet
      {earlier !== undefined && (
        <>
          {' '}
          (those by an earlier one,{' '}
          <TextLink href={boardHref(query, { methodology: String(earlier) })}>
            methodology {earlier}
          </TextLink>
          , are kept apart)
        </>
      )}
      . The reference rows were measured elsewhere and are never ranked.
      {other && (
        <>
          {' '}
          {shown.rows.length > 0 ? 'Also measured here' : 'Measured here'}, on software adapters or
          CPUs:{' '}
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

async function empty(store: Store, query: BoardQuery, elsewhere?: Profile): Promise<ReactNode> {
  const { items } = await store.devices.list();
  const hasAny = items.some((device) => device.results > 0);
  return <NoResults hasAny={hasAny} query={query} elsewhere={elsewhere} />;
}

/** The board before its first result, or where a filter leaves nothing. */
function NoResults({
  hasAny,
  query,
  elsewhere,
}: {
  hasAny: boolean;
  query: BoardQuery;
  /** The profile under which there are some. */
  elsewhere: Profile | undefined;
}) {
  const { dtype, op, profile, shape } = query;
  if (elsewhere) {
    return (
      <Empty title={`Nothing in ${dtype} was measured under profile ${profile} yet`}>
        <p>Under profile {elsewhere} there are figures of this element type.</p>
        <ButtonLink href={boardHref(query, { profile: elsewhere })} look="primary">
          Show profile {elsewhere}
        </ButtonLink>
      </Empty>
    );
  }
  if (hasAny) {
    const sweep = new URLSearchParams({
      kernel: `${op}/naive`,
      dtype,
      profile,
      ...(shape && { shape }),
    });
    return (
      <Empty
        title={`No device shown has measured ${op} ${formatShape(shape ?? '')} ${dtype} under ${profile} yet`}
      >
        <p>Choose another problem or more groups above, or measure this one.</p>
        <ButtonLink href={`/sweeps/new?${sweep}`}>Sweep this problem</ButtonLink>
      </Empty>
    );
  }
  return (
    <Empty title="No results yet">
      <p>
        Results appear here as soon as a worker submits the first one. A worker that attaches a
        device for the first time runs the starter suite by itself: a minute on most GPUs.
      </p>
      <p className="flex flex-wrap items-center justify-center gap-3">
        <ButtonLink href="/workers" look="primary">
          Attach a worker
        </ButtonLink>
        <TextLink href="/sweeps/new?suite=starter">or submit a sweep</TextLink>
      </p>
    </Empty>
  );
}
