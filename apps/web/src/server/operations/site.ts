import { healthSchema } from '@tilemark/core';
import { z } from 'zod';
import { ok, operation } from './operation';

/** What the server says of itself. */
export const siteOperations = {
  health: operation({
    method: 'GET',
    path: '/health',
    summary: 'Whether the server reaches its database and its queue; 503 where it does not.',
    access: 'open',
    caching: 'never',
    answer: ok(healthSchema),
  }),
  describe: operation({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description.',
    access: 'open',
    caching: 'release',
    answer: ok(z.looseObject({ openapi: z.string() })),
  }),
} as const;
