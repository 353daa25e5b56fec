'use client';

import type { KeyboardEvent, ReactNode } from 'react';
import { Link } from './link';
import { TablePanel } from './table';

export interface HeatCell {
  readonly href: string;
  /** All that the cell stands for, on hover. */
  readonly about: string;
  readonly content: ReactNode;
  /** Any CSS colour. */
  readonly fill?: string | undefined;
  /** Of the text, where the fill is the same in both colour schemes. */
  readonly ink?: string;
  /** In place of what it shows, where that is too short to be read out. */
  readonly label?: string;
}

/**
 * Rows by columns, each cell in a colour and leading somewhere. The whole map is one stop of the Tab key,
 * as WAI-ARIA's grid is: arrow keys, Home and End go through its links.
 *
 * @param columns their headings, each once, as `rows`
 * @param cells by row and column; null where there is nothing
 */
export function HeatMap({
  caption,
  corner,
  columns,
  rows,
  cells,
}: {
  caption: string;
  corner: string;
  columns: readonly string[];
  rows: readonly string[];
  cells: readonly (readonly (HeatCell | null)[])[];
}) {
  const first = cells.findIndex((row) => row.some(Boolean));
  return (
    <TablePanel caption={caption} onGridKey={onKey}>
      <thead>
        <tr>
          <th scope="col" className="whitespace-nowrap !px-1.5">
            {corner}
          </th>
          {columns.map((column) => (
            <th key={column} scope="col" className="!px-0.5 !text-center">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, down) => (
          <tr key={row}>
            <th scope="row" className="!px-1.5 !py-1">
              {row}
            </th>
            {columns.map((column, across) => {
              const cell = cells[down]?.[across];
              if (!cell) return <td key={column} className="!p-0" />;
              const isFirst = down === first && cells[down]?.findIndex(Boolean) === across;
              return (
                <td
                  key={column}
                  className="!p-0 text-center"
                  style={{ background: cell.fill, color: cell.ink }}
                >
                  <Link
                    href={cell.href}
                    title={cell.about}
                    aria-label={cell.label}
                    tabIndex={isFirst ? 0 : -1}
                    className="block px-0.5 py-1 font-medium underline underline-offset-3"
                  >
                    {cell.content}
                  </Link>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}

/** Goes to the next cell with a link in the direction of an arrow, or to the first or last of the row. */
function onKey(event: KeyboardEvent<HTMLTableElement>) {
  const here = event.target instanceof HTMLElement ? event.target : null;
  const cell = here?.closest('td');
  const row = cell?.closest('tr');
  if (!here || !cell || !row) return;
  const column = [...event.currentTarget.rows].map(({ cells }) => cells[cell.cellIndex]);
  const before = (line: readonly (HTMLTableCellElement | undefined)[]) =>
    line.slice(0, line.indexOf(cell)).toReversed();
  const after = (line: readonly (HTMLTableCellElement | undefined)[]) =>
    line.slice(line.indexOf(cell) + 1);
  const ways: Readonly<Record<string, readonly (HTMLTableCellElement | undefined)[]>> = {
    ArrowRight: after([...row.cells]),
    ArrowLeft: before([...row.cells]),
    ArrowDown: after(column),
    ArrowUp: before(column),
    Home: [...row.cells],
    End: [...row.cells].toReversed(),
  };
  const links = ways[event.key]?.map((each) => each?.matches('td') && each.querySelector('a'));
  const next = links?.find((link) => link instanceof HTMLElement);
  if (!next) return;
  event.preventDefault();
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
