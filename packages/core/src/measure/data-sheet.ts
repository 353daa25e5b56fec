import { DTYPES, InputError, opOf, type Problem, type Variant } from '@tilemark/kernels';
import { setBytes } from './calibrate';
import { DATA_SHEETS, type DataSheet } from './data-sheets';
import type { DeviceIdentity } from './device';
import { multiplyAdds, type Roof, type RooflineSurvey } from './roofline';

/**
 * Cards are sold with clocks above the reference, and drivers boost beyond what is printed; no
 * forger gains much by a quarter.
 */
const MARGIN = 1.25;

/** With this many times the last-level cache in turn, copies come from memory. */
const BEYOND_CACHE = 4;

/** The data sheet of a device's model, by the longest name that the driver's contains; null without one. */
export function dataSheetOf({
  device,
  class: kind,
}: Pick<DeviceIdentity, 'device' | 'class'>): DataSheet | null {
  // Software and CPUs are limited by the host.
  if (kind !== 'gpu' && kind !== 'browser') return null;
  const name = ` ${wordsOf(device)} `;
  const found = DATA_SHEETS.filter(({ model }) => name.includes(` ${wordsOf(model)} `));
  return found.toSorted((a, b) => b.model.length - a.model.length)[0] ?? null;
}

const wordsOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\((r|tm)\)/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/**
 * The shortest time of a problem on a device of this model, with a margin for faster cards. Null
 * where the data sheet says nothing: bytes that may come from the cache, operations of matrix units.
 *
 * @param workingSetBytes everything the dispatches rotate through
 */
export function dataSheetRoof(
  sheet: DataSheet,
  variant: Variant,
  problem: Problem,
  workingSetBytes: number,
): Roof | null {
  const { shape, dtype } = problem;
  const flopsNs = multiplyAdds(variant, problem) / (MARGIN * operations(sheet, problem));
  const bytesNs = isBeyondCache(sheet, workingSetBytes)
    ? opOf(problem).bytes(shape, dtype) / (MARGIN * sheet.bandwidth)
    : 0;
  const ns = Math.max(flopsNs, bytesNs);
  return ns > 0 ? { ns, bound: flopsNs > bytesNs ? 'compute' : 'bandwidth' } : null;
}

/**
 * What a model can do at most by its data sheet, operations per ns (GFLOP/s), without a margin. Null
 * without a sheet.
 */
export function dataSheetPeak(
  device: Pick<DeviceIdentity, 'device' | 'class'>,
  problem: Pick<Problem, 'dtype'>,
): number | null {
  const sheet = dataSheetOf(device);
  return sheet && operations(sheet, problem);
}

/**
 * The shortest time of a problem by the data sheet of a model, without a margin, with each byte
 * moved once to or from memory. Null without a sheet, and where operations bind whose rate it does not
 * have: matrix units do those in f16 several times faster than the others, and many GPUs do those of
 * integers at half the rate of f32 or less.
 */
export function dataSheetTime(
  device: Pick<DeviceIdentity, 'device' | 'class'>,
  problem: Problem,
): Roof | null {
  const sheet = dataSheetOf(device);
  if (!sheet) return null;
  const op = opOf(problem);
  const flopsNs = op.flops(problem.shape) / operations(sheet, problem);
  const bytesNs = op.bytes(problem.shape, problem.dtype) / sheet.bandwidth;
  if (flopsNs > bytesNs && DTYPES[problem.dtype].peak !== 'f32') return null;
  return { ns: Math.max(flopsNs, bytesNs), bound: flopsNs > bytesNs ? 'compute' : 'bandwidth' };
}

/** How near a time comes to its peak, and which peak that is. */
export interface PeakShare {
  readonly share: number;
  readonly bound: Roof['bound'] | 'by data sheet';
}

/** Of the roof that was measured, else of what the data sheet of the model allows; null without either. */
export function peakShare({
  device: { name, class: kind },
  medianNs,
  problem,
  roof,
}: {
  readonly device: { readonly name: string; readonly class: DeviceIdentity['class'] };
  readonly medianNs: number;
  readonly problem: Problem;
  readonly roof?: Roof | null | undefined;
}): PeakShare | null {
  if (roof) return { share: roof.ns / medianNs, bound: roof.bound };
  const sheet = dataSheetTime({ device: name, class: kind }, problem);
  return sheet && { share: sheet.ns / medianNs, bound: 'by data sheet' };
}

/** Operations per ns. */
function operations({ f16, f32 }: DataSheet, { dtype }: Pick<Problem, 'dtype'>): number {
  return 1e3 * (DTYPES[dtype].peak === 'f16' ? (f16 ?? 2 * f32) : f32);
}

const isBeyondCache = ({ cacheMiB }: DataSheet, workingSetBytes: number): boolean =>
  cacheMiB !== null && workingSetBytes >= BEYOND_CACHE * cacheMiB * 2 ** 20;

/** Throws InputError for a survey that a device of this model cannot have given. */
export function checkSurvey(sheet: DataSheet, { copies, peaks }: RooflineSurvey): void {
  for (const [index, { dtype, gigaflopsPerSecond }] of peaks.entries()) {
    const most = MARGIN * operations(sheet, { dtype });
    if (gigaflopsPerSecond <= most) continue;
    throw new InputError(
      `${gigaflopsPerSecond.toFixed(0)} GFLOP/s in ${dtype}: the data sheet of ${sheet.model} allows ${most.toFixed(0)}, with a margin of a quarter.`,
      `peaks[${index}].gigaflopsPerSecond`,
    );
  }
  for (const [index, { bytes, gigabytesPerSecond }] of copies.entries()) {
    const most = MARGIN * sheet.bandwidth;
    if (gigabytesPerSecond <= most || !isBeyondCache(sheet, bytes)) continue;
    throw new InputError(
      `${gigabytesPerSecond.toFixed(0)} GB/s over ${bytes} bytes: the data sheet of ${sheet.model} allows ${most.toFixed(0)}, with a margin of a quarter.`,
      `copies[${index}].gigabytesPerSecond`,
    );
  }
}

/** Everything that the dispatches of a measurement rotated through, bytes. */
export const workingSetOf = (bufferSets: number, problem: Problem): number =>
  bufferSets * setBytes(problem);
