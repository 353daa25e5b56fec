import { deviceKey } from '@tilemark/core';
import { DirectLink, openQueue, openStore, readEnv } from '@tilemark/core/server';
import type { Logger } from 'pino';
import type { Runner } from '../child/runner';
import type { Card } from '../gpu/cards';
import { takeInstance } from '../run/instance';
import type { Place } from './attach';

/**
 * The grid whose services the environment names, used with the grid's own account.
 *
 * @throws EnvError; InputError and DeviceFault of the device
 */
export async function directPlace(runner: Runner, log: Logger, card?: Card): Promise<Place> {
  const { databaseUrl, redisUrl, dataDir, gpuSeconds } = readEnv();
  const { identity } = await runner.open('default');
  const instance = await takeInstance(dataDir, deviceKey(identity), card?.busId);
  const queue = openQueue({
    databaseUrl,
    redisUrl,
    onError: (error) => log.debug({ error: error.message }, 'the queue is unavailable'),
  });
  const link = new DirectLink({ store: openStore(databaseUrl, { gpuSeconds }), queue });
  return { link, instance, dataDir, sharesJournal: true };
}
