import {
  driverText,
  type EfficiencyCell,
  type EfficiencyMap,
  type Evidence,
  efficiencyMap,
  geometricMean,
  isOn,
  LANGUAGE_MODELS,
  observationsOf,
  shippedEvidence,
  TOKENS,
} from '@tilemark/core';
import { type OpId, opById, shapeText } from '@tilemark/kernels';
import { group, rollup } from 'd3-array';
import { ButtonLink } from '@/ui/button';
import type { Fold } from '@/ui/code';
import { formatCount, formatRate } from '@/ui/format';
import { Panel } from '@/ui/page';
import {
  floorOf,
  isOf,
  LayerMap,
  lettersOf,
  nameOf,
  placeOf,
  RangeMap,
  sidesOf,
} from './efficiency-map';

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

/** Whether there is a map of a kernel: peaks of matrix units are not known. */
export const hasMap = (kernel: string): boolean =>
  evidenceOf(kernel).some((file) => !('why' in mapOf(file)));

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
      <Unmapped files={files} />
      {files.some((file) => hasLayers(file, kernel)) && (
        <ButtonLink href={layers.href} scroll={false} look="quiet" className="mt-1 -ml-3">
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
  if ('why' in map) return null; // see Unmapped
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
        {formatRate(memory)} GB/s, as probed on this GPU; a probe only comes close to it. Times are
        screened: cold, verified, not ranked; profile {profile}, {driverText(driver)},{' '}
        {file.measuredAt.slice(0, 10)}; a dot is not of this survey.{' '}
        {aboutCells(op, kernel !== undefined, layers)}
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

/** Why files have no map, those with the same reason together. */
function Unmapped({ files }: { files: readonly Evidence[] }) {
  const reasons = files.flatMap((file) => {
    const map = mapOf(file);
    return 'why' in map ? [{ file, why: map.why }] : [];
  });
  const alike = group(
    reasons,
    ({ file }) => `${opById(file.op).title} on ${file.device.device}`,
    ({ why }) => why,
  );
  return [...alike].flatMap(([what, byReason]) =>
    [...byReason].map(([why, same]) => (
      <Panel key={`${what} ${why}`} className="px-4 py-3 text-[0.8125rem] text-muted">
        {what}, {same.map(({ file }) => file.dtype).join(' and ')}: no map. {why}
      </Panel>
    )),
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
