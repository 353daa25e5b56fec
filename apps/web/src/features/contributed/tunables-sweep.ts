import { KERNEL_LIMITS, type NewSweep, type RunView } from '@tilemark/core';
import type { Tunable } from '@tilemark/kernels';

/**
 * A sweep of every value of a kernel's tunables, on the problems and devices that it has run on; null
 * where it has none, has run on none, or has more values than a sweep may: those are searched.
 */
export function tunablesSweep(
  id: string,
  tunables: readonly Pick<Tunable, 'name' | 'values'>[],
  runs: readonly Pick<RunView, 'device' | 'kind' | 'problem'>[],
): NewSweep | null {
  const able = runs.filter(({ kind }) => kind === 'measured');
  const variants = tunables.reduce((product, { values }) => product * values.length, 1);
  if (tunables.length === 0 || able.length === 0 || variants > KERNEL_LIMITS.variants) return null;
  const once = <T>(all: readonly T[]): T[] => [
    ...new Map(all.map((each) => [JSON.stringify(each), each])).values(),
  ];
  return {
    name: `Tunables of ${id}`,
    spec: {
      cases: [
        {
          kernel: id,
          tunables: Object.fromEntries(tunables.map(({ name, values }) => [name, [...values]])),
          shapes: once(able.map(({ problem }) => problem.shape)),
          dtypes: once(able.map(({ problem }) => problem.dtype)),
        },
      ],
      profiles: ['default'],
      policy: 'default',
      devices: once(able.map(({ device }) => device.key)),
    },
  };
}
