import { DirectLink, openQueue, openStore, readEnv } from '@tilemark/core/server';
import type { Logger } from 'pino';
import type { Place } from './attach';

/**
 * The grid whose services the environment names, used with the grid's own account.
 *
 * @throws EnvError
 */
export function directPlace(log: Logger): Place {
  const { databaseUrl, redisUrl, dataDir } = readEnv();
  const queue = openQueue({
    databaseUrl,
    redisUrl,
    onError: (error) => log.debug({ error: error.message }, 'the queue is unavailable'),
  });
  const link = new DirectLink({ store: openStore(databaseUrl), queue });
  return { link, dataDir, sharesJournal: true };
}
