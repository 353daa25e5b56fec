import type { DeviceClass } from '../measure/device';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

const SENTINEL = 'sentinel';

/** Whether a sweep of this suite, `id@version`, is the sentinel's. */
export const isOfSentinel = (suite: string | null): boolean =>
  suite?.startsWith(`${SENTINEL}@`) ?? false;

/** The sentinel: kernels in which the effect of a compiler or driver shows; naive shows what affects all. */
export const sentinel: Suite<'n'> = {
  id: SENTINEL,
  version: 1,
  title: 'Sentinel',
  about:
    'What a device repeats when its driver, browser or Dawn has changed: a minute or two; changes compare it with what it was',
  params: [edge(1024)],
  spec: ({ n }) =>
    sweepOf([
      ...['naive', 'tiled', 'register-tile', 'subgroup'].map((name) =>
        caseOf(`matmul/${name}`, {}, [square(n)]),
      ),
      ...['tiled', 'vec4'].map((name) => caseOf(`transpose/${name}`, {}, [{ rows: n, cols: n }])),
    ]),
};

/** The classes of device that are watched, each with the size that it takes. */
export const WATCHED: Readonly<Partial<Record<DeviceClass, number>>> = {
  gpu: 1024,
  browser: 512,
  software: 128,
};
