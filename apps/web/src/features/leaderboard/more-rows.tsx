import { MoreRows as More, shownRows as shown } from '@/ui/table';
import { type BoardQuery, boardHref } from './query';

export const shownRows = <T,>(rows: readonly T[], query: BoardQuery): readonly T[] =>
  shown(rows, query.rows === 'all');

/** The way to the rows of a board that are left out; nothing where there are none. */
export function MoreRows({
  query,
  ...rest
}: {
  of: number;
  noun: string;
  query: BoardQuery;
  columns: number;
}) {
  return (
    <More {...rest} isAll={query.rows === 'all'} allHref={boardHref(query, { rows: 'all' })} />
  );
}
