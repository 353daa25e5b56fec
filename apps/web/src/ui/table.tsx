import type { ReactNode } from 'react';
import { ButtonLink, TextLink } from './button';
import { formatCount } from './format';

/**
 * A table on its own surface. On narrow screens the surface scrolls, by touch
 * or by keyboard, and the page does not.
 */
export function TablePanel({
  caption,
  children,
  stacks = false,
  wraps = false,
}: {
  caption: string;
  children: ReactNode;
  /** On a phone each row is a card, whose cells say their headings (`data-head`). */
  stacks?: boolean;
  /** Headings break, where they are longer than what is below them. */
  wraps?: boolean;
}) {
  return (
    <section
      aria-label={caption}
      // Reachable by keyboard, so that it can be scrolled without a pointer.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container has to take focus
      tabIndex={0}
      // Positioned, so that what is placed inside cannot widen the page.
      className="scroll-hint relative overflow-x-auto rounded-tile border border-line"
    >
      <table className={`data-table ${stacks ? 'stacks' : ''} ${wraps ? 'wraps' : ''}`}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
      {/* Its being there shows the table: see .data-table. */}
      <span hidden />
    </section>
  );
}

export interface Column<Row> {
  readonly head: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** What the heading means, on hover. */
  readonly title?: string;
  /** A number: to the right, in digits of one width. */
  readonly isFigure?: boolean;
  readonly className?: string;
}

/**
 * A table of rows that are alike; on a phone a list of cards.
 *
 * @param keyOf tells rows apart
 * @param rowHead index of the column that names a row
 * @param children further rows below
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  rowHead = 0,
  children,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  rowHead?: number;
  children?: ReactNode;
}) {
  const classOf = ({ className = '', isFigure }: Column<Row>) =>
    isFigure ? `figure ${className}` : className || undefined;
  return (
    <TablePanel caption={caption} stacks>
      <thead>
        <tr>
          {columns.map(({ head, isFigure, title }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
            <th key={index} scope="col" className={isFigure ? 'figure' : undefined} title={title}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf(row, at)}>
            {columns.map((column, index) => {
              const Cell = index === rowHead ? 'th' : 'td';
              const content = column.cell(row);
              return (
                <Cell
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                  key={index}
                  scope={index === rowHead ? 'row' : undefined}
                  className={classOf(column)}
                  data-head={typeof column.head === 'string' ? column.head : undefined}
                  // On a card a heading without a value tells nothing.
                  data-void={content === '–' ? '' : undefined}
                >
                  {content}
                </Cell>
              );
            })}
          </tr>
        ))}
        {children}
      </tbody>
    </TablePanel>
  );
}

/** Rows shown before the reader asks for all; most grids have fewer. */
const MOST_ROWS = 50;

export const shownRows = <T,>(
  rows: readonly T[],
  isAll: boolean,
  most = MOST_ROWS,
): readonly T[] => (isAll ? rows : rows.slice(0, most));

/** A last row that leads to the rows left out, if any. */
export function MoreRows({
  of,
  noun,
  isAll,
  allHref,
  columns,
  most = MOST_ROWS,
}: {
  of: number;
  noun: string;
  isAll: boolean;
  allHref: string;
  columns: number;
  most?: number;
}) {
  if (isAll || of <= most) return null;
  return (
    <tr>
      <td colSpan={columns} className="text-muted">
        {formatCount(of - most)} more {noun}.{' '}
        <TextLink href={allHref}>Show all {formatCount(of)}</TextLink>
      </td>
    </tr>
  );
}

/** A link to the next page of a list; `query` is what else its address keeps. */
export function NextPage({
  cursor,
  path,
  query = {},
}: {
  cursor: string | null;
  path: string;
  query?: Readonly<Record<string, string>>;
}) {
  if (!cursor) return null;
  return (
    <nav aria-label="Pages" className="mt-4">
      <ButtonLink href={`${path}?${new URLSearchParams({ ...query, cursor })}`}>
        Next page
      </ButtonLink>
    </nav>
  );
}
