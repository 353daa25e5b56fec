/** The figures of h200.json, out of the files of `bench --json` in docs/results/. */

import type { BenchFile, ReferenceFigure } from '../api/api';
import { driverText } from '../measure/device';
import { kernelBy, middleOfEach, timesOf } from './figures.test-helper';

/** The middle series of every kernel variant in files of `bench --json`. */
export function benchFigures(files: readonly BenchFile[]): ReferenceFigure[] {
  const figures = files.flatMap((file) =>
    file.results.flatMap(({ address, device, endedAt, outcome, policy, problem, profile }) => {
      if (outcome?.kind !== 'measured' || policy !== 'default') return [];
      const { cold, methodologyVersion, unranked } = outcome.measurement;
      return {
        ...timesOf({ ...cold, intervalNs: [cold.lowNs, cold.highNs], unranked }, problem),
        hardware: device.name,
        class: device.class,
        by: kernelBy(address),
        problem,
        profile,
        measuredAt: endedAt ?? null,
        source: `\`tilemark bench\`, methodology ${methodologyVersion}, driver ${driverText(file.environment.driver)}.`,
      };
    }),
  );
  return middleOfEach(figures);
}
