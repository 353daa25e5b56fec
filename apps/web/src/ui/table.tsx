import { Fragment, type KeyboardEvent, type ReactNode } from 'react';
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
  onGridKey,
}: {
  caption: string;
  children: ReactNode;
  /** On a phone each row is a card, whose cells say their headings (`data-head`). */
  stacks?: boolean;
  /** Headings break, where they are longer than what is below them. */
  wraps?: boolean;
  /** Its cells are one stop of the Tab key, and these keys go through them. */
  onGridKey?: (event: KeyboardEvent<HTMLTableElement>) => void;
}) {
  return (
    <section
      aria-label={caption}
      // Reachable by keyboard, so that it can be scrolled without a pointer; a grid's cells are.
      tabIndex={onGridKey ? undefined : 0}
      // Positioned, so that what is placed inside cannot widen the page.
      className="scroll-hint relative overflow-x-auto rounded-tile border border-line"
    >
      <table
        role={onGridKey && 'grid'}
        onKeyDown={onGridKey}
        className={`data-table ${stacks ? 'stacks' : ''} ${wraps ? 'wraps' : ''}`}
      >
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

/** Rows shown before the reader asks for all; most grids have fewer. */
const MOST_ROWS = 50;

/** How a table leaves out rows beyond the first, and where all of them are. */
export interface Rest {
  readonly noun: string;
  readonly isAll: boolean;
  readonly allHref: string;
  readonly most?: number;
}

/**
 * A table of rows that are alike; on a phone a list of cards.
 *
 * @param keyOf tells rows apart
 * @param rowHead index of the column that names a row
 * @param groupOf a heading above the first of the rows that share it
 * @param isLit whether a row stands out
 * @param rest absent: every row is shown
 */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  rowHead = 0,
  groupOf,
  isLit,
  rest,
  empty,
  wraps = false,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string | number;
  rowHead?: number;
  groupOf?: (row: Row) => string;
  isLit?: (row: Row) => boolean;
  rest?: Rest;
  /** In place of rows. */
  empty?: string;
  /** Headings break, where they are longer than what is below them. */
  wraps?: boolean;
}) {
  const most = !rest || rest.isAll ? rows.length : (rest.most ?? MOST_ROWS);
  const shown = rows.slice(0, most);
  const headed = shown.map((row, at) => {
    const group = groupOf?.(row);
    const before = shown[at - 1];
    return { row, group: before && groupOf?.(before) === group ? undefined : group };
  });
  return (
    <TablePanel caption={caption} stacks wraps={wraps}>
      <thead>
        <tr>
          {columns.map(({ head, isFigure, title }, index) => (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
              key={index}
              scope="col"
              className={isFigure ? 'figure' : undefined}
              title={title}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {headed.map(({ group, row }, at) => (
          <Fragment key={keyOf(row, at)}>
            {group !== undefined && (
              <tr className="!bg-sunken text-2xs text-muted">
                <th scope="rowgroup" colSpan={columns.length} className="!py-1">
                  {group}
                </th>
              </tr>
            )}
            <tr className={isLit?.(row) ? '!bg-accent-soft' : undefined}>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                <Cell key={index} column={column} row={row} isHead={index === rowHead} />
              ))}
            </tr>
          </Fragment>
        ))}
        {empty && rows.length === 0 && (
          <tr>
            <td colSpan={columns.length} className="!py-4 text-center text-muted">
              {empty}
            </td>
          </tr>
        )}
        {rest && rows.length > most && (
          <tr>
            <td colSpan={columns.length} className="text-muted">
              {formatCount(rows.length - most)} more {rest.noun}.{' '}
              <TextLink href={rest.allHref}>Show all {formatCount(rows.length)}</TextLink>
            </td>
          </tr>
        )}
      </tbody>
    </TablePanel>
  );
}

function Cell<Row>({
  column: { cell, className = '', head, isFigure },
  row,
  isHead,
}: {
  column: Column<Row>;
  row: Row;
  isHead: boolean;
}) {
  const Tag = isHead ? 'th' : 'td';
  const content = cell(row);
  return (
    <Tag
      scope={isHead ? 'row' : undefined}
      className={isFigure ? `figure ${className}` : className || undefined}
      data-head={typeof head === 'string' ? head : undefined}
      // On a card a heading without a value tells nothing.
      data-void={content === '–' ? '' : undefined}
    >
      {content}
    </Tag>
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
