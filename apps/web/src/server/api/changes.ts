import { changeSchema, pageOf } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { z } from 'zod';
import { idCursorQuery, noun, ok, operation } from './operation';

/** Variants that new software of a device made slower, faster or wrong. */
export const changes = noun();

operation(
  changes,
  {
    id: 'listChanges',
    method: 'get',
    path: '/changes',
    summary:
      'Variants of the sentinel suite that became slower, faster or wrong between two versions of driver, Dawn or browser on a device, newest first.',
    access: 'read',
    caching: 'revalidate',
    query: idCursorQuery.extend({
      /** A device key. */
      device: z.string().min(1).max(300).optional(),
    }),
    answer: ok(pageOf(changeSchema)),
  },
  async ({ query, services: { store } }) => {
    const { device } = query;
    if (device !== undefined && !(await store.devices.get(device)))
      throw new InputError(`There is no device ${device}.`, 'device');
    return store.changes(query);
  },
);
