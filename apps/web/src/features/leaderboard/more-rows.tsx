import { TextLink } from '@/ui/button';
import { formatCount } from '@/ui/format';
import { type BoardQuery, boardHref } from './query';

/** Rows of a group before the rest is asked for: more than most grids have. */
const MOST_ROWS = 50;

export const shownRows = <T,>(rows: readonly T[], query: BoardQuery): readonly T[] =>
  query.rows === 'all' ? rows : rows.slice(0, MOST_ROWS);

/** The way to the rows that are left out; nothing where there are none. */
export function MoreRows({
  of,
  noun,
  query,
  columns,
}: {
  of: number;
  noun: string;
  query: BoardQuery;
  columns: number;
}) {
  if (query.rows === 'all' || of <= MOST_ROWS) return null;
  return (
    <tr>
      <td colSpan={columns} className="text-muted">
        {formatCount(of - MOST_ROWS)} more {noun}.{' '}
        <TextLink href={boardHref(query, { rows: 'all' })}>Show all {formatCount(of)}</TextLink>
      </td>
    </tr>
  );
}
