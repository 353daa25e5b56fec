import { openQueue } from './queue/queue';
import { openStore } from './store/store';

/** Reaches the services in a process of its own, for tests of what Node reads when it starts. */
const [databaseUrl = '', redisUrl = ''] = process.argv.slice(2);
const store = openStore(databaseUrl);
const queue = openQueue({ databaseUrl, redisUrl });
try {
  await Promise.all([store.ping(), queue.ping()]);
  process.stdout.write('both answer');
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
}
process.exit();
