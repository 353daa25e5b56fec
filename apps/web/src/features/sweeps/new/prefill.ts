import { findSuite, POLICY_IDS, PROFILES, SUITES } from '@tilemark/core';
import { DTYPES, InputError, KERNELS } from '@tilemark/kernels';
import { z } from 'zod';
import { emptyCase, type SweepForm } from './form';

/** Parameters of `/sweeps/new`; a suite's own and a kernel's tunables come beside them by their names. */
export const prefillSchema = z.object({
  name: z.string().max(120).optional(),
  suite: z.enum(SUITES.map(({ id }) => id)).optional(),
  kernel: z.enum(KERNELS.map(({ id }) => id)).optional(),
  shape: z.string().max(400).optional(),
  dtype: z.enum(DTYPES).optional(),
  profile: z.enum(PROFILES).optional(),
  policy: z.enum(POLICY_IDS).optional(),
  device: z.string().max(300).optional(),
  /** A sweep to copy; the other parameters are left aside then. */
  sweep: z.string().max(64).optional(),
});
export type Prefill = z.infer<typeof prefillSchema>;

const DEFAULT_SUITE = 'starter';

/**
 * The form as a query string fills it: `?suite=layouts&n=512`, or
 * `?kernel=matmul/tiled&TILE=8,16&shape=512&dtype=f32`.
 */
export function prefilled(
  prefill: Prefill,
  extra: (name: string) => string | undefined,
): SweepForm {
  const suite = findSuite(prefill.suite ?? DEFAULT_SUITE);
  const kernel = KERNELS.find(({ id }) => id === prefill.kernel) ?? KERNELS[0];
  if (!kernel) throw new InputError('There is no kernel.', 'kernel');
  const blank = emptyCase(kernel);
  const chosen = Object.fromEntries(
    kernel.tunables.flatMap(({ name, values }) => {
      const asked = extra(name)?.split(',') ?? [];
      const known = asked.filter((text) => values.some((value) => String(value) === text));
      return known.length > 0 ? [[name, known]] : [];
    }),
  );
  return {
    name: prefill.name ?? '',
    from: prefill.kernel && !prefill.suite ? 'hand' : 'suite',
    suite: suite.id,
    params: Object.fromEntries(
      suite.params.map((param) => [param.name, extra(param.name) ?? String(param.default)]),
    ),
    cases: [
      {
        ...blank,
        tunables: { ...blank.tunables, ...chosen },
        shapes: prefill.shape ?? blank.shapes,
        dtypes: [prefill.dtype ?? 'f32'],
      },
    ],
    profiles: prefill.profile ? [prefill.profile] : [],
    policy: prefill.policy ?? '',
    devices: prefill.device ? [prefill.device] : [],
  };
}
