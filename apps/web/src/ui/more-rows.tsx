import { TextLink } from './button';
import { formatCount } from './format';

/** Rows of a table before the rest is asked for: more than most grids have. */
const MOST_ROWS = 50;

export const shownRows = <T,>(rows: readonly T[], isAll: boolean): readonly T[] =>
  isAll ? rows : rows.slice(0, MOST_ROWS);

/** The way to the rows that are left out; nothing where there are none. */
export function MoreRows({
  of,
  noun,
  isAll,
  allHref,
  columns,
}: {
  of: number;
  noun: string;
  isAll: boolean;
  allHref: string;
  columns: number;
}) {
  if (isAll || of <= MOST_ROWS) return null;
  return (
    <tr>
      <td colSpan={columns} className="text-muted">
        {formatCount(of - MOST_ROWS)} more {noun}.{' '}
        <TextLink href={allHref}>Show all {formatCount(of)}</TextLink>
      </td>
    </tr>
  );
}
