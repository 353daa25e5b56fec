import {
  bestResultSchema,
  deviceLabel,
  deviceSchema,
  pageOf,
  rooflineSchema,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { z } from 'zod';
import { COSTS } from '../session/reads';
import { cursorQuery, noun, ok, operation, orNotFound } from './operation';

export const devices = noun();

operation(
  devices,
  {
    id: 'listDevices',
    method: 'get',
    path: '/devices',
    summary: 'Devices that were attached or that imported results name, with their capabilities.',
    access: 'read',
    caching: 'revalidate',
    query: cursorQuery,
    answer: ok(pageOf(deviceSchema)),
  },
  async ({ query: { cursor }, services: { store } }) => {
    if (cursor !== undefined && !(await store.devices.get(cursor))) {
      throw new InputError(`'${cursor}' is not a cursor of this list.`, 'cursor');
    }
    return store.devices.list(cursor);
  },
);

operation(
  devices,
  {
    id: 'getDevice',
    method: 'get',
    path: '/devices/{key}',
    cost: COSTS.device,
    summary: 'A device, its rooflines, and the best measured result of each problem on it.',
    access: 'read',
    caching: 'revalidate',
    answer: ok(
      deviceSchema.extend({ best: z.array(bestResultSchema), rooflines: z.array(rooflineSchema) }),
    ),
  },
  async ({ params: { key }, services: { store } }) => {
    const device = orNotFound(await store.devices.get(key), `There is no device ${key}.`);
    const [best, rooflines] = await Promise.all([
      store.devices.best(key),
      store.rooflines.latest(key),
    ]);
    return { ...device, best, rooflines };
  },
);

operation(
  devices,
  {
    id: 'labelDevice',
    method: 'post',
    path: '/devices/{key}/label',
    summary: 'Sets what a device is called beside its name, such as `laptop`; null takes it away.',
    access: 'admin',
    body: z.strictObject({ label: deviceLabel.nullable() }),
    answer: { status: 204 },
  },
  async ({ body: { label }, params: { key }, services: { store } }) => {
    orNotFound(await store.devices.get(key), `There is no device ${key}.`);
    await store.devices.label(key, label);
  },
);
