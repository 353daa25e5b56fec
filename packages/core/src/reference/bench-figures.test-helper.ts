/** The figures of h200.json, out of the files of `bench --json` in docs/results/. */
import { type Dtype, opOf, type Problem } from '@tilemark/kernels';
import { driverText } from '../measure/device';
import type { Roof } from '../measure/roofline';
import type { BenchFile } from '../view/api';
import { type Figure, fastestOfEach, kernelBy, timesOf } from './figures';

/** The fastest series of every kernel variant in files of `bench --json`. */
export function benchFigures(files: readonly BenchFile[]): Figure[] {
  const figures = files.flatMap((file) =>
    file.results.flatMap(({ address, device, endedAt, outcome, policy, problem, profile }) => {
      if (outcome?.kind !== 'measured' || policy !== 'default') return [];
      const { cold, roof, unranked } = outcome.measurement;
      return {
        ...timesOf({ ...cold, intervalNs: [cold.lowNs, cold.highNs], unranked }, problem),
        ...{ hardware: device.name, class: device.class, by: kernelBy(address), problem, profile },
        ...{ roof: roof ?? null, measuredAt: endedAt ?? null },
        source: `\`tilemark bench\`, driver ${driverText(file.environment.driver)}.`,
      };
    }),
  );
  return withRoofs(fastestOfEach(figures));
}

/** The best rates that probes found, by hardware and profile. */
interface Peaks {
  readonly flops: Map<Dtype, number>;
  copy: number;
}

/**
 * The roof of hardware under a profile is the best that any probe found: one taken on an idle
 * clock is lower than what kernels reach.
 */
function withRoofs(figures: readonly Figure[]): Figure[] {
  const known = new Map<string, Peaks>();
  const peaksOf = ({ hardware, profile }: Figure): Peaks => {
    const key = `${profile} ${hardware}`;
    const peaks = known.get(key) ?? { flops: new Map(), copy: 0 };
    known.set(key, peaks);
    return peaks;
  };
  for (const figure of figures) {
    const { problem, roof } = figure;
    if (!roof) continue;
    const peaks = peaksOf(figure);
    const op = opOf(problem);
    if (roof.bound === 'bandwidth') {
      peaks.copy = Math.max(peaks.copy, op.bytes(problem.shape, problem.dtype) / roof.ns);
    } else {
      const rate = op.flops(problem.shape) / roof.ns;
      peaks.flops.set(problem.dtype, Math.max(rate, peaks.flops.get(problem.dtype) ?? 0));
    }
  }
  return figures.map((figure) => ({ ...figure, roof: roofUnder(peaksOf(figure), figure.problem) }));
}

function roofUnder({ copy, flops }: Peaks, problem: Problem): Roof | null {
  const op = opOf(problem);
  const work = op.flops(problem.shape);
  const peak = flops.get(problem.dtype);
  if (work > 0) return peak === undefined ? null : { ns: work / peak, bound: 'compute' };
  return copy > 0
    ? { ns: op.bytes(problem.shape, problem.dtype) / copy, bound: 'bandwidth' }
    : null;
}
