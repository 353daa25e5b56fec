import {
  driverText,
  type EfficiencyCell,
  type EfficiencyMap,
  type Evidence,
  efficiencyMap,
  geometricMean,
  isOn,
  type KernelBest,
  LANGUAGE_MODELS,
  observationsOf,
  shippedEvidence,
  TOKENS,
} from '@tilemark/core';
import { kernelById, type OpId, opById, shapeText } from '@tilemark/kernels';
import { group, rollup } from 'd3-array';
import { heatOf } from '@/features/leaderboard/heat-map-table';
import { ButtonLink } from '@/ui/button';
import type { Fold } from '@/ui/code';
import { formatCount, formatNs, formatRate, formatShape } from '@/ui/format';
import { Panel } from '@/ui/page';
import { TablePanel } from '@/ui/table';

/** A place in a map: one shape, or those of a range. */
interface Place {
  readonly shape: string;
  /** The variant that the place is about: the kernel's own or the winner. */
  readonly best: KernelBest;
  readonly winner: KernelBest;
}

/** Kept, since what ships does not change. */
const maps = new Map<Evidence, EfficiencyMap>();

function mapOf(file: Evidence): EfficiencyMap {
  const known = maps.get(file) ?? efficiencyMap(observationsOf(file), file.roofline);
  maps.set(file, known);
  return known;
}

/** Screened times that ship with the product, of devices like this one. */
export const evidenceOn = (key: string): readonly Evidence[] =>
  shippedEvidence().filter(({ device }) => isOn(device, { key }));

/** Screened times that ship with the product, with variants of a kernel among them. */
export const evidenceOf = (kernel: string): readonly Evidence[] =>
  shippedEvidence().filter(({ variants }) =>
    variants.some((address) => address.startsWith(`${kernel}[`)),
  );

/**
 * How near kernels come to a device's roof, by shape; of one kernel if it is named.
 *
 * @param layers the maps of language models' layers, the largest part of a page, are sent on demand
 */
export function Efficiency({
  files,
  kernel,
  layers,
}: {
  files: readonly Evidence[];
  kernel?: string;
  layers: Fold;
}) {
  return (
    <div className="space-y-6">
      {files.map((file) => (
        <FileMap
          key={`${file.op} ${file.dtype}`}
          file={file}
          kernel={kernel}
          layers={layers.isOpen && hasLayers(file, kernel)}
        />
      ))}
      {files.some((file) => hasLayers(file, kernel)) && (
        <ButtonLink
          href={layers.href}
          scroll={false}
          prefetch={false}
          look="quiet"
          className="mt-1 -ml-3"
        >
          {layers.isOpen ? 'Hide the layers' : 'Show tokens × layers of language models'}
        </ButtonLink>
      )}
    </div>
  );
}

function FileMap({
  file,
  kernel,
  layers,
}: {
  file: Evidence;
  kernel: string | undefined;
  layers: boolean;
}) {
  const { op, dtype, device, driver, profile, roofline } = file;
  const what = `${opById(op).title}, ${dtype}, ${device.device}`;
  const map = mapOf(file);
  if ('why' in map) {
    return (
      <Panel className="px-4 py-3 text-[0.8125rem] text-muted">
        {what}: no map. {map.why}
      </Panel>
    );
  }
  const cells = map.cells.filter(({ kernels }) => !kernel || kernels.some(isOf(kernel)));
  if (cells.length === 0) return null;
  const peak = roofline?.peaks.find((each) => each.dtype === dtype)?.gigaflopsPerSecond;
  const memory = roofline?.copies.at(-1)?.gigabytesPerSecond ?? 0;
  const letters = lettersOf(map.cells);
  const won = cells.filter(({ kernels }) => kernels[0]?.kernel === kernel).length;
  const isExceeded = shownParts(cells, kernel, layers).some(isAboveRoof);
  return (
    <div>
      <h3 className="text-[0.8125rem] font-medium">{what}</h3>
      <p className="mt-1 mb-2 max-w-prose text-xs text-muted">
        {kernel
          ? `The fastest variant of this kernel wins on ${formatCount(won)} of the ${formatCount(cells.length)} shapes it was tried on. `
          : `The fastest variant of ${formatCount(cells.length)} shapes. `}
        Numbers are percent of the roof that binds:{' '}
        {op === 'matmul' && peak ? `${formatRate(peak)} GFLOP/s or ` : ''}
        {formatRate(memory)} GB/s, as probed on this GPU. Times are screened: cold, verified, not
        ranked; profile {profile}, {driverText(driver)}, {file.measuredAt.slice(0, 10)}; a dot was
        not timed. {aboutCells(op, kernel !== undefined, layers)}
        {isExceeded &&
          ' Over 100: the roof of bytes is a copy, which writes as much as it reads, while a product of few rows almost only reads.'}
      </p>
      {!kernel && (
        <p className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {[...letters].map(([id, { letter, wins }]) => (
            <span key={id}>
              <b>{letter}</b> {nameOf(id)} <span className="text-muted">wins {wins}</span>
            </span>
          ))}
        </p>
      )}
      <RangeMap cells={cells} kernel={kernel} letters={letters} what={what} />
      {layers && (
        <div className="mt-3">
          <LayerMap cells={cells} kernel={kernel} letters={letters} what={what} />
        </div>
      )}
    </div>
  );
}

/** What a cell stands for: most are of several shapes. */
function aboutCells(op: OpId, isOfKernel: boolean, layers: boolean): string {
  const what = isOfKernel
    ? 'over the shapes in its range on which this kernel was tried, bold if it wins most of them; the page of the device has the mean of the winners instead'
    : 'over the shapes in its range; its letter is the kernel that wins most of them';
  return op === 'matmul'
    ? `A cell by M and K is a geometric mean, for any N, ${what}.${layers ? ' A cell by tokens and layer is one shape.' : ''}`
    : `A cell is a geometric mean ${what}.`;
}

/** Whether a file has a map, and the layers of a language model in it. */
function hasLayers(file: Evidence, kernel: string | undefined): boolean {
  const map = mapOf(file);
  if ('why' in map) return false;
  const layers = layerShapes();
  return map.cells.some(
    (cell) => layers.has(shapeText(cell.problem)) && placeOf(cell, kernel).length > 0,
  );
}

const layerShapes = (): ReadonlySet<string> =>
  new Set(
    LANGUAGE_MODELS.flatMap(({ layers }) =>
      layers.flatMap(({ k, n }) =>
        TOKENS.map((m) => shapeText({ op: 'matmul', shape: { m, n, k } })),
      ),
    ),
  );

interface MapProps {
  readonly cells: readonly EfficiencyCell[];
  readonly kernel: string | undefined;
  readonly letters: Letters;
  readonly what: string;
}

/** M x K, or rows x columns, each from a power of two to below the next; any N. */
function RangeMap({ cells, kernel, letters, what }: MapProps) {
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
function LayerMap({ cells, kernel, letters, what }: MapProps) {
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

type Letters = ReadonlyMap<string, { readonly letter: string; readonly wins: number }>;

/** A letter for each kernel that wins somewhere, those that win most first. */
function lettersOf(cells: readonly EfficiencyCell[]): Letters {
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

function placeOf({ problem, kernels }: EfficiencyCell, kernel: string | undefined): Place[] {
  const [winner] = kernels;
  const best = kernel ? kernels.find(isOf(kernel)) : winner;
  return best && winner ? [{ shape: formatShape(shapeText(problem)), best, winner }] : [];
}

function sidesOf({ problem }: EfficiencyCell) {
  return problem.op === 'matmul'
    ? { x: problem.shape.m, y: problem.shape.k }
    : { x: problem.shape.rows, y: problem.shape.cols };
}

/** The parts of the roof that a page shows: the means of ranges and, with the layers, theirs. */
function shownParts(
  cells: readonly EfficiencyCell[],
  kernel: string | undefined,
  layers: boolean,
): number[] {
  const partsOf = (some: readonly EfficiencyCell[]) =>
    some.flatMap((cell) => placeOf(cell, kernel).map(({ best }) => best.part));
  const means = rollup(
    cells,
    (some) => geometricMean(partsOf(some)) ?? 0,
    (cell) => `${floorOf(sidesOf(cell).x)} ${floorOf(sidesOf(cell).y)}`,
  );
  return [...means.values(), ...(layers ? partsOf(cells) : [])];
}

/** Whether a cell shows more than 100. */
const isAboveRoof = (part: number) => Math.round(100 * part) > 100;

const isOf = (kernel: string) => (each: KernelBest) => each.kernel === kernel;
const nameOf = (id: string) => kernelById(id)?.id.split('/')[1] ?? id;
const floorOf = (size: number) => 2 ** Math.floor(Math.log2(size));
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
