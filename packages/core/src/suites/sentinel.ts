import type { DeviceClass } from '../measure/device';
import { caseOf, edge, type Suite, square, sweepOf } from './suite';

export const SENTINEL = 'sentinel';

/** Whether a sweep of this suite, `id@version`, is the sentinel's. */
export const isOfSentinel = (suite: string | null): boolean =>
  suite?.startsWith(`${SENTINEL}@`) ?? false;

/** What a compiler or driver does to a kernel shows in one of these; with naive, what it does to all. */
export const sentinel: Suite<'n'> = {
  id: SENTINEL,
  version: 1,
  title: 'Sentinel',
  about:
    'What a device repeats when its driver, browser or Dawn has changed, or weekly: a minute or two; alarms compare it with what it was',
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
