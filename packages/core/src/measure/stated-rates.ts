import { DTYPES, opOf, type Problem, type Variant } from '@tilemark/kernels';
import { ascending, rollups } from 'd3-array';
import { workingSetOf } from './calibrate';
import type { Measurement } from './outcome';
import { multiplyAdds, type RooflineSurvey } from './roofline';

/** Rate by rate the better: a probe may find a device idle, and none finds it faster than it is. */
export function bestOf(a: RooflineSurvey, b: RooflineSurvey): RooflineSurvey {
  const copies = rollups(
    [...a.copies, ...b.copies],
    (copies) => Math.max(...copies.map((copy) => copy.gigabytesPerSecond)),
    ({ bytes }) => bytes,
  );
  const peaks = rollups(
    [...a.peaks, ...b.peaks],
    (peaks) => Math.max(...peaks.map((peak) => peak.gigaflopsPerSecond)),
    ({ dtype }) => dtype,
  );
  return {
    copies: copies
      .map(([bytes, gigabytesPerSecond]) => ({ bytes, gigabytesPerSecond }))
      .sort((x, y) => ascending(x.bytes, y.bytes)),
    peaks: peaks.map(([dtype, gigaflopsPerSecond]) => ({ dtype, gigaflopsPerSecond })),
  };
}

/**
 * The rates of a survey, raised by those that results state: no copy is larger than those of the
 * survey, where the largest stands for memory.
 */
export function raisedBy(survey: RooflineSurvey, stated: RooflineSurvey): RooflineSurvey {
  const largest = survey.copies.at(-1)?.bytes ?? Number.POSITIVE_INFINITY;
  const copies = stated.copies.map((copy) => ({ ...copy, bytes: Math.min(copy.bytes, largest) }));
  return bestOf(survey, { ...stated, copies });
}

/** The roofs that results were held against, as a survey: the best of each. */
export function statedRates(
  results: readonly {
    readonly variant: Variant;
    readonly problem: Problem;
    readonly measurement: Measurement;
  }[],
): RooflineSurvey {
  let best: RooflineSurvey = { copies: [], peaks: [] };
  for (const { measurement, problem, variant } of results) {
    const { bufferSets, roof } = measurement;
    if (!roof) continue;
    const bytes = 2 ** Math.round(Math.log2(workingSetOf(bufferSets, problem)));
    const gigabytesPerSecond = opOf(problem).bytes(problem.shape, problem.dtype) / roof.ns;
    const gigaflopsPerSecond = multiplyAdds(variant, problem) / roof.ns;
    best = bestOf(best, {
      copies: roof.bound === 'bandwidth' ? [{ bytes, gigabytesPerSecond }] : [],
      peaks:
        roof.bound === 'compute' && gigaflopsPerSecond > 0
          ? [{ dtype: DTYPES[problem.dtype].peak, gigaflopsPerSecond }]
          : [],
    });
  }
  return best;
}
