import {
  bestOfEach,
  bestOfKernels,
  type Leaderboard,
  PROFILES,
  type Profile,
  type ReferenceFigure,
  shownGroups,
} from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { DTYPES, isInputError, shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { ButtonLink, TextLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Board } from './board';
import { bestsOfCells, bestsOfRows } from './faster-profile';
import { FasterUnder, fasterUnder } from './faster-under';
import { HeatMapTable } from './heat-map-table';
import { isSame, openingShape, shapesOf, widerShape, wideShape } from './opening';
import { NoGpuYet, OneKernel, WhereMost } from './opening-notes';
import { PortabilityTables } from './portability-tables';
import { type BoardQuery, boardHref, classesOf, type Group } from './query';
import { othersOf, rowsBeside } from './reference-figure';

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

/** Reads what a view shows. */
export async function loadView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const { op, dtype, profile, shape, ship } = query;
  const problem = { op, dtype, profile, ...(shape !== undefined && { shape }) };
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
      answer: report,
      board: report,
      groups: report.groups,
      referenceShapes: [],
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
    const asked = await store.heatMap(grouped);
    const opening = openingOf(asked);
    const first = opening === null ? asked : await store.heatMap({ ...grouped, shape: opening });
    const wider = shape === undefined ? await widerShape(store, first, figures) : null;
    const map = wider === null ? first : await store.heatMap({ ...grouped, shape: wider.shape });
    const best = bestOfKernels(besideOf(map), profile);
    const reference = rowsBeside(best, map.rows);
    const repeated = [...best.keys()].filter((hardware) => !reference.has(hardware));
    const others = othersOf(besideOf(map));
    const cells = bestsOfCells(map.rows);
    const faster = await fasterUnder(store, map.problem, cells, besideOf(map), query);
    return {
      answer: asked,
      board: map,
      referenceShapes,
      hasOwn: map.rows.length > 0,
      groups: [...map.groups, ...(hasReference ? (['reference'] as const) : [])],
      content:
        map.rows.length + reference.size > 0 ? (
          <>
            {wider !== null && first.problem && (
              <OneKernel shape={shapeText(first.problem)} counted={wider.classes} query={query} />
            )}
            {wider === null && opening !== null && (
              <WhereMost of={wideShape(figures, profile)} here={opening} query={query} />
            )}
            <HeatMapTable {...{ map, reference, repeated, others, faster, query }} />
          </>
        ) : (
          await empty(store, query)
        ),
    };
  }
  const asked = { ...problem, contributed: query.contributed ?? ('apart' as const) };
  const answer = await store.leaderboard(asked);
  const opening = openingOf(answer);
  const board = opening === null ? answer : await store.leaderboard({ ...asked, shape: opening });
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
  const answered = { answer, board, groups: shown, referenceShapes, hasOwn: hasRows };
  if (board.problem && answer.problems.length > 0 && !hasRows && !shown.includes('reference')) {
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
  const hasNoGpu = Boolean(reference?.length) && !answer.problems.some(({ gpus }) => gpus > 0);
  const visible = board.rows.filter(({ device }) => shown.includes(device.class));
  const [sizes, faster] = await Promise.all([
    store.devices.sizes(
      board.rows.map(({ device }) => device.key),
      { op, dtype, profile },
      board.methodology,
    ),
    fasterUnder(store, board.problem, bestsOfRows(visible), besideOf(board), query),
  ]);
  return {
    ...answered,
    content: (
      <>
        {hasNoGpu && <NoGpuYet own={answer} shown={board} query={query} />}
        <FasterUnder faster={faster} query={query} problem={board.problem} />
        <Board board={board} query={query} groups={shown} reference={reference} sizes={sizes} />
      </>
    ),
  };
}

/** With fewer GPUs of its own a grid shows the reference unasked. */
export const FEW_GPUS = 3;

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
      <Empty title={`Nothing in ${DTYPES[dtype].words} was measured under profile ${profile} yet`}>
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
        <ButtonLink href="/operate" look="primary">
          Attach a worker
        </ButtonLink>
        <TextLink href="/sweeps/new?suite=starter">or submit a sweep</TextLink>
      </p>
    </Empty>
  );
}
