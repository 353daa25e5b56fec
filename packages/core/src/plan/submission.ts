import type { Dtype, Epilogue, OpId, Problem, Shape, Variant } from '@tilemark/kernels';
import { onlyValues, type SweepCase } from './spec';

/** A kernel that is submitted, and what it is to be measured on. */
interface Submitted {
  readonly kernel: string;
  /** Values to try; absent: the defaults. */
  readonly tunables?: SweepCase['tunables'];
  readonly op: OpId;
  readonly epilogue?: Epilogue | undefined;
  readonly shapes: readonly Shape[];
  readonly dtypes: readonly Dtype[];
  /** Keys. */
  readonly devices: readonly string[];
}

/** Problems on devices beyond these are measured beside naive alone. */
const MOST_BESTS = 48;

/**
 * The sweep of a kernel that is submitted: beside naive and, on each device, the best of ours for each
 * problem, or `tiled` where nothing is known.
 *
 * @param bestOf what the grid recommends for a problem on a device; null: nothing
 */
export async function submissionOf(
  { devices, dtypes, epilogue, kernel, op, shapes, tunables = {} }: Submitted,
  bestOf: (problem: Problem, device: string) => Promise<{ readonly variant: Variant } | null>,
) {
  const naive = `${op}/naive`;
  const problems = { shapes: [...shapes], dtypes: [...dtypes] };
  const places = devices.flatMap((device) =>
    dtypes.flatMap((dtype) => shapes.map((shape) => ({ device, dtype, shape }))),
  );
  const bests = places.slice(0, MOST_BESTS).map(async ({ device, dtype, shape }) => {
    const best = await bestOf({ op, shape, dtype } as Problem, device);
    const { kernel, tunables } = best?.variant ?? { kernel: `${op}/tiled`, tunables: {} };
    return {
      kernel,
      tunables: onlyValues(tunables),
      shapes: [shape],
      dtypes: [dtype],
      onlyOn: [device],
    };
  });
  const cases: SweepCase[] = [
    { ...problems, kernel: naive, tunables: {} },
    { ...problems, kernel, tunables },
    ...(await Promise.all(bests)).filter((best) => best.kernel !== naive),
  ];
  return {
    cases,
    profiles: ['default' as const],
    policy: 'default' as const,
    devices: [...devices],
    ...(epilogue && { epilogue }),
  };
}
