import { openQueue } from './open-queue';

/** A consumer in a process of its own, for tests that kill it: takes a run and never ends it. */
const [redisUrl, databaseUrl = '', prefix = '', deviceKey = ''] = process.argv.slice(2);
const queue = openQueue({ redisUrl, databaseUrl, prefix, lockMs: 1_000 });
await queue.consume(deviceKey, async ({ runId }) => {
  process.stdout.write(runId);
  await new Promise(() => undefined);
});
