import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gridOfFile } from '../grid.test-helper';
import { noun, operation } from './operation';

gridOfFile('member');

/** So many that waiting for each other's turns to end by themselves takes longer than the test may. */
const BODIES = 8;

it('bodies are checked one by one, and what is done with them is done together', async () => {
  const api = noun();
  const waiting: (() => void)[] = [];
  operation(
    api,
    {
      ...{ id: 'keep', method: 'post', path: '/kept', access: 'open', maxUnpackedBytes: 1_000 },
      ...{ summary: 'Keeps.', body: z.object({}), answer: { status: 204 } },
    },
    () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === BODIES) for (const go of waiting) go();
      }),
  );
  const post = () =>
    api.request('/kept', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: new Uint8Array(gzipSync('{}')),
    });
  const answers = await Promise.all(Array.from({ length: BODIES }, post));
  expect(answers.map(({ status }) => status)).toEqual(Array(BODIES).fill(204));
}, 10_000);
