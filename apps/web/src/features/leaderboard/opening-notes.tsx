/** Lines above a view: why it opened on its problem, and where more was measured. */
import { DEVICE_GROUPS, type DeviceClass, type Leaderboard } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { TextLink } from '@/ui/button';
import { formatShape } from '@/ui/format';
import { type BoardQuery, boardHref, GROUP_TITLES } from './query';

/** Why a heat map opened on another problem than the board. */
export function OneKernel({
  shape,
  counted,
  query,
}: {
  shape: string;
  /** The classes of device whose kernels were counted. */
  counted: readonly DeviceClass[];
  query: BoardQuery;
}) {
  const titlesOf = (isIn: boolean) =>
    GROUP_TITLES.filter(
      ([group]) =>
        DEVICE_GROUPS.some((each) => each === group) &&
        counted.some((each) => each === group) === isIn,
    )
      .map(([, title]) => title)
      .join(', ');
  const others = titlesOf(false);
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      Of the problem that the board opens on,{' '}
      <TextLink href={boardHref(query, { shape })}>{formatShape(shape)}</TextLink>, one kernel only
      was measured; this is the problem with most kernels on {titlesOf(true)}
      {others && ` (not counted: ${others})`}.
    </p>
  );
}

/** Where a heat map that opened on the board's problem would have more to show. */
export function WhereMost({
  of,
  here,
  query,
}: {
  of: string | null;
  here: string;
  query: BoardQuery;
}) {
  if (of === null || of === here) return null;
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      More kernels were compared at{' '}
      <TextLink href={boardHref(query, { shape: of })}>{formatShape(of)}</TextLink>.
    </p>
  );
}

/** Why the board shows a problem that nothing here has measured, and where its own results are. */
export function NoGpuYet({
  own,
  shown,
  query,
}: {
  /** What the devices here have, none of them a GPU. */
  own: Leaderboard;
  shown: Leaderboard;
  query: BoardQuery;
}) {
  const { problems } = own;
  const here = shown.problem && shapeText(shown.problem);
  const [other] = problems.filter(({ problem }) => shapeText(problem) !== here);
  return (
    <p className="mb-3 text-[0.8125rem] text-muted">
      This site has no {query.dtype} {query.op} result of a GPU, measured or imported, under profile{' '}
      {query.profile} yet. The reference rows were measured elsewhere, perhaps by an earlier
      protocol (see their sources), and are never ranked.
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
