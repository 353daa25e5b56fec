import {
  bestOfEach,
  type Leaderboard,
  type Profile,
  type ReferenceFigure,
  referencesOn,
} from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { opOf, shapeText } from '@tilemark/kernels';
import { greatest, group } from 'd3-array';
import type { ReactNode } from 'react';
import { ButtonLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Section } from '@/ui/page';
import { Board } from './board';
import { PortabilityTables } from './portability-tables';
import type { BoardQuery } from './query';
import { ReferenceTable } from './reference-table';

/** A view of the board with what it was made from. */
interface LoadedView {
  /** As the API answers. */
  readonly answer: unknown;
  readonly board: Pick<Leaderboard, 'problem' | 'problems'>;
  /** Whether devices of this grid are shown, and not only the reference. */
  readonly hasOwn: boolean;
  readonly content: ReactNode;
}

/** Reads what a view shows. */
export const loadView = (store: Store, query: BoardQuery): Promise<LoadedView> =>
  VIEWS[query.view](store, query);

async function portabilityView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const { map: _, rows: __, view: ___, ...asked } = query;
  const report = await store.portability(asked);
  return {
    answer: report,
    board: report,
    hasOwn: report.devices > 0,
    content: <PortabilityTables report={report} query={query} />,
  };
}

async function devicesView(store: Store, query: BoardQuery): Promise<LoadedView> {
  const { dtype, op, profile } = query;
  const board = await store.leaderboard({
    ...{ op, dtype, profile },
    ...(query.shape !== undefined && { shape: query.shape }),
    contributed: 'apart',
  });
  const { rows } = board;
  const byShape = shapesOf(referencesOn({ op, dtype }), profile);
  const shape = board.problem ? shapeText(board.problem) : (query.shape ?? richest(byShape));
  const reference = byShape.get(shape ?? '') ?? [];
  return {
    answer: board,
    board,
    hasOwn: rows.length > 0,
    content: (
      <>
        {rows.length > 0 && board.problem && (
          <Board problem={board.problem} rows={rows} query={query} />
        )}
        {rows.length + reference.length === 0 && (await empty(store, query, board))}
        {reference.length > 0 && (
          <Section
            title="Measured elsewhere"
            id="reference"
            isFolded={rows.length > 0}
            note={`${formatShape(shape ?? '')} ${dtype}, never ranked`}
          >
            <ReferenceTable figures={reference} />
          </Section>
        )}
      </>
    ),
  };
}

const VIEWS = { devices: devicesView, portability: portabilityView } as const;

/** What a board of the profile shows of the reference, by shape, the least work first. */
function shapesOf(figures: readonly ReferenceFigure[], profile: Profile) {
  const size = ({ problem }: ReferenceFigure) => opOf(problem).bytes(problem.shape, problem.dtype);
  const ordered = figures.toSorted((a, b) => size(a) - size(b));
  const shown = [...group(ordered, ({ problem }) => shapeText(problem))].map(
    ([shape, about]) => [shape, bestOfEach(about, profile)] as const,
  );
  return new Map(shown.filter(([, best]) => best.length > 0));
}

/** The shape of which the reference knows most, the largest of those. */
const richest = (byShape: ReadonlyMap<string, readonly ReferenceFigure[]>) =>
  greatest([...byShape].toReversed(), ([, best]) => best.length)?.[0];

/** The board before its first result, or where a filter leaves nothing. */
async function empty(
  store: Store,
  { dtype, op, profile, shape }: BoardQuery,
  { problem }: LoadedView['board'],
): Promise<ReactNode> {
  const { items } = await store.devices.list();
  if (items.every((device) => device.results === 0)) {
    return (
      <Empty title="No results yet">
        <p>A machine that is attached measures the starter suite by itself, in about a minute.</p>
        <ButtonLink href="/add" look="primary">
          Add your GPU
        </ButtonLink>
      </Empty>
    );
  }
  const size = problem ? shapeText(problem) : shape;
  const asked = new URLSearchParams({ op, dtype, profile, ...(size && { shape: size }) });
  return (
    <Empty
      title={`No device has measured ${op} ${formatShape(size ?? '')} ${dtype} under ${profile} yet`}
    >
      <p>Choose another problem or profile above.</p>
      <ButtonLink href={`/best?${asked}`}>Find a kernel for this problem</ButtonLink>
    </Empty>
  );
}
