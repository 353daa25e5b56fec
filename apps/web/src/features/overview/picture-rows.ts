import { type DeviceClass, dataSheetPeak, type ReferenceFigure, type Roof } from '@tilemark/core';
import type { DeviceBest } from '@tilemark/core/server';
import { kernelOf, opOf, type Problem, shapeText, sidesText } from '@tilemark/kernels';
import type { Peak } from '@/features/results/scale';
import { formatTimes } from '@/ui/format';

/** A device, or hardware of the reference, with its best and what stands beside it. */
export interface PictureRow {
  readonly key: string;
  readonly name: string;
  /** Where its result is; null for the reference. */
  readonly href: string | null;
  /** Runs TypeScript in Node, without WebGPU. */
  readonly isCpu: boolean;
  /** `matmul/warp-tile` */
  readonly kernel: string;
  /** `4096 × 4096 × 4096` */
  readonly shape: string;
  /** GFLOP/s. */
  readonly rate: number;
  /** The most that the device can do on the problem; null if unknown. */
  readonly peak: Peak | null;
  /** On the same hardware and problem, the fastest first. */
  readonly libraries: readonly { readonly name: string; readonly rate: number }[];
  /** The kernel's speed against libraries and the naive kernel there: `0.967 of cuBLAS`. */
  readonly against: readonly string[];
  /** Null for the reference. */
  readonly shorterMedian: DeviceBest['shorterMedian'];
  readonly imported: DeviceBest['imported'];
}

/** More rows would push everything else off the screen. */
const MOST_ROWS = 5;

/**
 * The bests of this grid's GPUs, of the reference, and of adapters in software, each beside its peak
 * and the libraries.
 */
export function pictureRows(
  bests: readonly DeviceBest[],
  figures: readonly ReferenceFigure[],
): PictureRow[] {
  const isGpu = ({ device }: DeviceBest) => device.class === 'gpu' || device.class === 'browser';
  const rowOf = (best: DeviceBest): PictureRow => {
    const { address, device, imported, problem, rate, resultId, roof } = best;
    const { shorterMedian, speedupOverNaive } = best;
    const libraries = librariesOf(figures, device.name, problem);
    const isNaive = speedupOverNaive === 1;
    return {
      key: device.key,
      name: device.name,
      href: `/results/${resultId}`,
      isCpu: device.class === 'cpu',
      kernel: kernelOf(address),
      shape: sidesText(problem),
      rate: rate.value,
      peak: peakOf(problem, roof, device),
      libraries,
      against: [
        ...againstLibraries(rate.value, libraries),
        ...(speedupOverNaive === null || isNaive
          ? []
          : [`${formatTimes(speedupOverNaive)} the naive kernel`]),
      ],
      shorterMedian,
      imported,
    };
  };
  const gpus = bests.filter(isGpu).slice(0, MOST_ROWS - 1);
  const others = bests.filter((best) => !isGpu(best));
  return [...gpus.map(rowOf), ...referenceRows(figures), ...others.map(rowOf)].slice(0, MOST_ROWS);
}

function peakOf(
  problem: Problem,
  roof: Roof | null,
  { class: kind, name }: { readonly name: string; readonly class: DeviceClass },
): Peak | null {
  if (roof) {
    const rate = opOf(problem).rate(problem, roof.ns);
    return { rate, isMeasured: true, bound: roof.bound };
  }
  const rate = dataSheetPeak({ device: name, class: kind }, problem);
  return rate === null ? null : { rate, isMeasured: false, bound: 'compute' };
}

/** One row per hardware: its fastest kernel on the problem that most libraries have. */
function referenceRows(figures: readonly ReferenceFigure[]): PictureRow[] {
  const kernels = figures.flatMap((figure) => {
    const { by, hardware, problem, profile, rate, unranked } = figure;
    if (by.kind !== 'kernel' || hardware === null || unranked !== null) return [];
    // Profiles are never mixed; pages show the one of browsers unless asked.
    if (profile !== 'default') return [];
    const libraries = librariesOf(figures, hardware, problem);
    const row: PictureRow = {
      key: `reference ${hardware}`,
      name: hardware,
      href: null,
      isCpu: figure.class === 'cpu',
      kernel: by.kernel,
      shape: sidesText(problem),
      rate: rate.value,
      peak: peakOf(problem, null, { name: hardware, class: figure.class ?? 'gpu' }),
      libraries,
      against: againstLibraries(rate.value, libraries),
      shorterMedian: null,
      imported: null,
    };
    return [row];
  });
  const best = new Map<string, PictureRow>();
  for (const row of kernels) {
    const known = best.get(row.key);
    const more = known ? row.libraries.length - known.libraries.length : 1;
    if (!known || more > 0 || (more === 0 && row.rate > known.rate)) best.set(row.key, row);
  }
  return [...best.values()];
}

const againstLibraries = (rate: number, libraries: PictureRow['libraries']): string[] =>
  libraries.map((library) => `${formatTimes(rate / library.rate)} ${library.name}`);

/** The fastest of each library on this hardware and problem. */
function librariesOf(
  figures: readonly ReferenceFigure[],
  hardware: string,
  problem: Problem,
): PictureRow['libraries'] {
  const rates = new Map<string, number>();
  for (const figure of figures) {
    const { by, rate } = figure;
    if (by.kind !== 'library' || figure.hardware !== hardware) continue;
    if (figure.problem.dtype !== problem.dtype) continue;
    if (shapeText(figure.problem) !== shapeText(problem)) continue;
    rates.set(by.name, Math.max(rate.value, rates.get(by.name) ?? 0));
  }
  return [...rates].map(([name, rate]) => ({ name, rate })).toSorted((a, b) => b.rate - a.rate);
}
