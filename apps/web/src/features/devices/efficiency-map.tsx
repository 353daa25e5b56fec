import {
  type EfficiencyCell,
  geometricMean,
  type KernelBest,
  LANGUAGE_MODELS,
  TOKENS,
} from '@tilemark/core';
import { kernelById, shapeText } from '@tilemark/kernels';
import { group, rollup } from 'd3-array';
import { heatOf } from '@/features/leaderboard/heat-map-table';
import { formatNs, formatShape } from '@/ui/format';
import { TablePanel } from '@/ui/table';

/** A place in a map: one shape, or those of a range. */
interface Place {
  readonly shape: string;
  /** The variant that the place is about: the kernel's own or the winner. */
  readonly best: KernelBest;
  readonly winner: KernelBest;
}

interface MapProps {
  readonly cells: readonly EfficiencyCell[];
  readonly kernel: string | undefined;
  readonly letters: Letters;
  readonly what: string;
}

/** M x K, or rows x columns, each from a power of two to below the next; any N. */
export function RangeMap({ cells, kernel, letters, what }: MapProps) {
  const across = rangesOf(cells.map((cell) => sidesOf(cell).x));
  const down = rangesOf(cells.map((cell) => sidesOf(cell).y));
  const inRange = group(
    cells,
    (cell) => floorOf(sidesOf(cell).y),
    (cell) => floorOf(sidesOf(cell).x),
  );
  const isProduct = cells[0]?.problem.op === 'matmul';
  const [xName, yName] = isProduct ? ['M', 'K'] : ['rows', 'columns'];
  return (
    <TablePanel caption={`Efficiency by ${xName} and ${yName}: ${what}`}>
      <thead>
        <tr>
          <th scope="col">
            {yName.charAt(0).toUpperCase() + yName.slice(1)} \ {xName}
          </th>
          {across.map((low) => (
            <th key={low} scope="col" className="figure !px-1.5 !whitespace-normal">
              <RangeText low={low} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {down.map((row) => (
          <tr key={row}>
            <th scope="row" className="whitespace-nowrap">
              {rangeText(row)}
            </th>
            {across.map((column) => (
              <MapCell
                key={column}
                kernel={kernel}
                letters={letters}
                places={(inRange.get(row)?.get(column) ?? []).flatMap((cell) =>
                  placeOf(cell, kernel),
                )}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}

/** Tokens x the layers of language models. */
export function LayerMap({ cells, kernel, letters, what }: MapProps) {
  const byShape = new Map(cells.map((cell) => [shapeText(cell.problem), cell]));
  return (
    <TablePanel caption={`Efficiency by tokens and layer: ${what}`}>
      <thead>
        <tr>
          <th scope="col">Layer, K → N \ tokens</th>
          {TOKENS.map((tokens) => (
            <th key={tokens} scope="col" className="figure">
              {tokens}
            </th>
          ))}
        </tr>
      </thead>
      {LANGUAGE_MODELS.map(({ name, layers }) => (
        <tbody key={name}>
          <tr className="!bg-sunken text-2xs text-muted">
            <th scope="rowgroup" colSpan={TOKENS.length + 1} className="!py-1">
              {name}
            </th>
          </tr>
          {[...new Map(layers.map((each) => [`${each.k} → ${each.n}`, each]))].map(
            ([layer, { k, n }]) => (
              <tr key={layer}>
                <th scope="row" className="whitespace-nowrap">
                  {layer}
                </th>
                {TOKENS.map((m) => {
                  const cell = byShape.get(shapeText({ op: 'matmul', shape: { m, n, k } }));
                  const places = cell ? placeOf(cell, kernel) : [];
                  return <MapCell key={m} kernel={kernel} letters={letters} places={places} />;
                })}
              </tr>
            ),
          )}
        </tbody>
      ))}
    </TablePanel>
  );
}

function MapCell({
  places,
  kernel,
  letters,
}: {
  places: readonly Place[];
  kernel: string | undefined;
  letters: Letters;
}) {
  const part = geometricMean(places.map(({ best }) => best.part));
  const [first] = places;
  if (part === null || !first) return <td className="figure text-muted">·</td>;
  const wins = rollup(
    places,
    (each) => each.length,
    ({ winner }) => winner.kernel,
  );
  const [most = ''] = [...wins].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const { best, winner, shape } = first;
  const title =
    places.length === 1
      ? `${shape}: ${formatNs(best.ns)}, bound by ${best.bound}, ${best.address}${winner.kernel === best.kernel ? '' : `; ${nameOf(winner.kernel)} takes ${formatNs(winner.ns)}`}`
      : `Mean of ${places.length} shapes, ${[...wins].map(([id, count]) => `${nameOf(id)} wins ${count}`).join(', ')}`;
  return (
    <td className="figure !px-1.5" style={heatOf(Math.min(1, part))} title={title}>
      {kernel && most === kernel ? (
        <b>{Math.round(100 * part)}</b>
      ) : (
        <span>{Math.round(100 * part)}</span>
      )}
      {!kernel && <span className="ml-0.5 text-2xs">{letters.get(most)?.letter}</span>}
    </td>
  );
}

export type Letters = ReadonlyMap<string, { readonly letter: string; readonly wins: number }>;

/** A letter for each kernel that wins somewhere, those that win most first. */
export function lettersOf(cells: readonly EfficiencyCell[]): Letters {
  const wins = rollup(
    cells,
    (each) => each.length,
    ({ kernels }) => kernels[0]?.kernel ?? '',
  );
  const sorted = [...wins].toSorted(([, a], [, b]) => b - a);
  return new Map(
    sorted.map(([id, count], at) => [id, { letter: String.fromCharCode(65 + at), wins: count }]),
  );
}

export function placeOf({ problem, kernels }: EfficiencyCell, kernel: string | undefined): Place[] {
  const [winner] = kernels;
  const best = kernel ? kernels.find(isOf(kernel)) : winner;
  return best && winner ? [{ shape: formatShape(shapeText(problem)), best, winner }] : [];
}

export function sidesOf({ problem }: EfficiencyCell) {
  return problem.op === 'matmul'
    ? { x: problem.shape.m, y: problem.shape.k }
    : { x: problem.shape.rows, y: problem.shape.cols };
}

export const isOf = (kernel: string) => (each: KernelBest) => each.kernel === kernel;
export const nameOf = (id: string) => kernelById(id)?.id.split('/')[1] ?? id;
export const floorOf = (size: number) => 2 ** Math.floor(Math.log2(size));
const rangeText = (low: number) => (low === 1 ? '1' : `${low}–${2 * low - 1}`);

/** Breaks after the dash, so that wide ranges make no wide columns. */
const RangeText = ({ low }: { low: number }) =>
  low === 1 ? (
    '1'
  ) : (
    <>
      {low}–<wbr />
      {2 * low - 1}
    </>
  );
const rangesOf = (sizes: readonly number[]) =>
  [...new Set(sizes.map(floorOf))].toSorted((a, b) => a - b);
