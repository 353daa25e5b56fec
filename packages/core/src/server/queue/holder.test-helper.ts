import { openQueue } from './queue';

/** Holds a run in a process of its own, for tests that kill it: takes it and never ends it. */
const [redisUrl, databaseUrl = '', prefix = '', deviceKey = ''] = process.argv.slice(2);
const queue = openQueue({ redisUrl, databaseUrl, prefix, lockMs: 1_000 });
const job = await queue.next(deviceKey, 'holder', AbortSignal.timeout(60_000));
process.stdout.write(job?.runId ?? '');
