import { deviceSchema, pageOf, rooflineSchema, runResultSchema } from '@tilemark/core';
import { z } from 'zod';
import { cursorQuery, ok, operation } from './operation';

/** Devices and what they can do. */
export const deviceOperations = {
  listDevices: operation({
    method: 'GET',
    path: '/devices',
    summary: 'Devices that have been attached, with their capabilities.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery,
    answer: ok(pageOf(deviceSchema)),
  }),
  getDevice: operation({
    method: 'GET',
    path: '/devices/{key}',
    summary: 'A device, its rooflines, and the best measured result of each problem on it.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(
      deviceSchema.extend({ best: z.array(runResultSchema), rooflines: z.array(rooflineSchema) }),
    ),
  }),
} as const;
