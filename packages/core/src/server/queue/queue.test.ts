import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../../../scripts/services/redis';
import { bringUp, takeDown, testDatabase, testRedisUrl } from '../../../services.test-helper';
import { ServiceUnavailable } from '../errors';
import { consume as consuming } from './consumer.test-helper';
import type { Queue } from './queue';
import { openQueue } from './queue';

/** Runs TypeScript and its shaders in a process of its own. */
const TYPESCRIPT = '../../../../../scripts/bootstrap/typescript.mjs';

const DEVICE = 'acme-one_anvil-vulkan-dawn';
const redisUrl = testRedisUrl();

/** Two processes on one queue of their own: what one adds the other takes. */
const opened: Queue[] = [];
const consumers: { stop(): void }[] = [];
const consume: typeof consuming = (...args) => {
  const consumer = consuming(...args);
  consumers.push(consumer);
  return consumer;
};
afterEach(async () => {
  for (const consumer of consumers.splice(0)) consumer.stop();
  await Promise.all(opened.splice(0).map((queue) => queue.close()));
});

const newRuns = (count: number, deviceKey = DEVICE) =>
  Array.from({ length: count }, () => ({ id: randomUUID(), deviceKey }));

type QueuedRun = ReturnType<typeof newRuns>[number];

/** Collects what a consumer is given; `until` waits for a number of takes. */
function taker(onTake: (runId: string, take: number) => Promise<void> = async () => undefined) {
  const taken: string[] = [];
  let arrived: () => void = () => undefined;
  const take = async ({ runId }: { runId: string }) => {
    taken.push(runId);
    arrived();
    await onTake(runId, taken.length);
  };
  const until = async (count: number) => {
    while (taken.length < count) {
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  return { taken, take, until };
}

const eventually = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await sleep(20);
};

describe.each([
  { backend: 'redis', skip: redisUrl === null },
  { backend: 'postgres', skip: false },
])('on $backend', ({ backend, skip }) => {
  describe.skipIf(skip)('the queue', () => {
    let databaseUrl: string;
    let open: () => Queue;
    beforeAll(async () => {
      databaseUrl = await testDatabase();
    });

    /** A queue nobody else uses, and a way to open it again. */
    const fresh = () => {
      const prefix = `test-${randomUUID()}`;
      const deviceKey = `${DEVICE}-${randomUUID().replaceAll('-', '')}`;
      open = () => {
        const queue = openQueue({
          redisUrl: backend === 'redis' ? redisUrl : null,
          databaseUrl,
          prefix,
          lockMs: 1_000,
        });
        opened.push(queue);
        return queue;
      };
      return { queue: open(), other: open(), deviceKey, prefix };
    };

    test('hands out what people wait for before what runs in the background', async () => {
      const { queue, deviceKey } = fresh();
      const background = newRuns(2, deviceKey);
      const asked = newRuns(2, deviceKey);
      await queue.enqueue(background, { background: true });
      await queue.enqueue(asked);
      expect(await queue.depth(deviceKey)).toBe(4);
      expect((await queue.runIds(deviceKey)).size).toBe(4);
      const { taken, take, until } = taker();
      consume(queue, deviceKey, take);
      await until(4);
      expect(taken).toEqual([...asked, ...background].map(({ id }) => id));
    });

    test('is the backend that was chosen, and answers', async () => {
      const { queue } = fresh();
      expect(queue.backend).toBe(backend);
      await queue.ping();
    });

    test('gives each run to one consumer, in order, one at a time', async () => {
      const { queue, other, deviceKey } = fresh();
      const runs = newRuns(30, deviceKey);
      await queue.enqueue(runs);
      expect(await queue.depth(deviceKey)).toBe(30);
      expect(await other.runIds(deviceKey)).toEqual(new Set(runs.map((run) => run.id)));
      let inHand = 0;
      let most = 0;
      const { taken, take, until } = taker(async () => {
        most = Math.max(most, ++inHand);
        await sleep(1);
        inHand--;
      });
      consume(other, deviceKey, take);
      await until(30);
      expect(taken).toEqual(runs.map((run) => run.id));
      expect(most).toBe(1);
      await eventually(async () => (await queue.runIds(deviceKey)).size === 0);
    });

    test('shares runs between consumers without giving one twice', async () => {
      const { queue, other, deviceKey } = fresh();
      const runs = newRuns(40, deviceKey);
      const both = taker();
      consume(queue, deviceKey, both.take);
      consume(other, deviceKey, both.take);
      await queue.enqueue(runs);
      await both.until(40);
      expect([...both.taken].sort()).toEqual(runs.map((run) => run.id).sort());
    });

    test('keeps devices apart', async () => {
      const { queue, other, deviceKey } = fresh();
      const [mine] = newRuns(1, deviceKey);
      const [yours] = newRuns(1, `${deviceKey}-two`);
      await queue.enqueue([mine!, yours!]);
      const { taken, take, until } = taker();
      consume(other, deviceKey, take);
      await until(1);
      expect(taken).toEqual([mine?.id]);
      expect(await queue.depth(`${deviceKey}-two`)).toBe(1);
    });

    test('does not queue a run twice, but takes it again once it was done', async () => {
      const { queue, other, deviceKey } = fresh();
      const runs = newRuns(3, deviceKey);
      await Promise.all([queue.enqueue(runs), other.enqueue(runs), queue.enqueue(runs)]);
      expect(await queue.depth(deviceKey)).toBe(3);
      const { taken, take, until } = taker();
      consume(other, deviceKey, take);
      await until(3);
      await eventually(async () => (await queue.runIds(deviceKey)).size === 0);
      await queue.enqueue(runs.slice(0, 1));
      await until(4);
      expect(taken[3]).toBe(runs[0]?.id);
    });

    test('tries a run again when taking it throws, and then others get it too', async () => {
      const { queue, other, deviceKey } = fresh();
      const runs = newRuns(1, deviceKey);
      const { taken, take, until } = taker(async (_runId, count) => {
        if (count === 1) throw new Error('the database went away');
      });
      consume(other, deviceKey, take);
      await queue.enqueue(runs);
      await until(2);
      expect(taken).toEqual([runs[0]?.id, runs[0]?.id]);
    });

    test('removes runs that wait; removing unknown ones is nothing', async () => {
      const { queue, other, deviceKey } = fresh();
      const runs = newRuns(3, deviceKey);
      await queue.enqueue(runs);
      await other.remove([...runs.slice(0, 2), ...newRuns(1, deviceKey)]);
      expect(await queue.runIds(deviceKey)).toEqual(new Set([runs[2]?.id]));
    });

    test('closing a consumer waits for the run in hand and takes no other', async () => {
      const { queue, other, deviceKey } = fresh();
      await queue.enqueue(newRuns(2, deviceKey));
      let finish: () => void = () => undefined;
      let finished = false;
      const { taken, take, until } = taker(async () => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        finished = true;
      });
      const consumer = consume(other, deviceKey, take);
      await until(1);
      const closed = consumer.close();
      finish();
      await closed;
      expect(finished).toBe(true);
      expect(taken).toHaveLength(1);
      expect(await queue.depth(deviceKey)).toBe(1);
    });

    test('gives the run of a consumer that was killed to another', async () => {
      const { queue, deviceKey, prefix } = fresh();
      const [run] = newRuns(1, deviceKey);
      await queue.enqueue([run!]);
      const child = spawn(
        process.execPath,
        [
          ...['--import', new URL(TYPESCRIPT, import.meta.url).href],
          fileURLToPath(new URL('holder.test-helper.ts', import.meta.url)),
          ...[backend === 'redis' ? (redisUrl ?? '') : '', databaseUrl, prefix, deviceKey],
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const [inHand] = await once(child.stdout, 'data');
      expect(String(inHand)).toBe(run?.id);
      child.kill('SIGKILL');
      const { taken, take, until } = taker();
      consume(queue, deviceKey, take);
      await until(1);
      expect(taken).toEqual([run?.id]);
    });

    const soon = () => AbortSignal.timeout(30_000);

    test('a run stays with its holder, whichever process goes on for it', async () => {
      const { queue, other, deviceKey } = fresh();
      const [run, later] = newRuns(2, deviceKey) as [QueuedRun, QueuedRun];
      await queue.enqueue([run, later]);
      expect(await queue.next(deviceKey, 'a', soon())).toEqual({ runId: run.id });
      // Three times as long as a lock lasts.
      for (let turn = 0; turn < 6; turn++) {
        await sleep(500);
        expect(await other.hold(run, 'a')).toBe(true);
      }
      for (const who of ['b', '']) {
        expect(await other.hold(run, who)).toBe(false);
        await other.finish(run, who);
        await other.putBack(run, who);
      }
      expect(await other.next(deviceKey, 'b', soon())).toEqual({ runId: later.id });
      await other.finish(run, 'a');
      await other.finish(run, 'a');
      expect(await queue.hold(run, 'a')).toBe(false);
      expect(await queue.hold(later, 'b')).toBe(true);
    });

    test('a run whose holder has gone goes to the next', async () => {
      const { queue, other, deviceKey } = fresh();
      const [run] = newRuns(1, deviceKey) as [QueuedRun];
      await queue.enqueue([run]);
      await queue.next(deviceKey, 'asleep', soon());
      expect(await other.next(deviceKey, 'awake', soon())).toEqual({ runId: run.id });
      expect(await queue.hold(run, 'asleep')).toBe(false);
    });

    test('many wait for one device at once, and are served in turn', async () => {
      const { queue, deviceKey } = fresh();
      const runs = newRuns(20, deviceKey);
      const waiting = runs.map((_, at) => queue.next(deviceKey, `${at}`, soon()));
      await queue.enqueue(runs);
      expect(await Promise.all(waiting)).toEqual(runs.map(({ id }) => ({ runId: id })));
    });

    test('who has left gets nothing, and the next one gets it instead', async () => {
      const { queue, other, deviceKey } = fresh();
      const leaving = new AbortController();
      const left = queue.next(deviceKey, 'gone', leaving.signal);
      const stays = queue.next(deviceKey, 'stays', soon());
      // By then it waits at the backend.
      await sleep(300);
      leaving.abort();
      expect(await left).toBeNull();
      const [run] = newRuns(1, deviceKey) as [QueuedRun];
      await other.enqueue([run]);
      expect(await stays).toEqual({ runId: run.id });
      expect(await other.hold(run, 'stays')).toBe(true);
      expect(await queue.next(deviceKey, 'x', AbortSignal.abort())).toBeNull();
    });

    test('what is queued survives its producer', async () => {
      const { queue, deviceKey } = fresh();
      const runs = newRuns(5, deviceKey);
      await queue.enqueue(runs);
      await queue.close();
      opened.splice(opened.indexOf(queue), 1);
      expect(await open().depth(deviceKey)).toBe(5);
    });
  });
});

describe('an unreachable service', () => {
  test.each([
    { name: 'Redis', redisUrl: 'redis://:secret@127.0.0.1:1', variable: 'REDIS_URL' },
    { name: 'Postgres', redisUrl: null, variable: 'DATABASE_URL' },
  ])('$name is named in one line, with what to do', async ({ redisUrl: url, variable }) => {
    const queue = openQueue({
      redisUrl: url,
      databaseUrl: 'postgres://somebody:secret@127.0.0.1:1/tilemark',
    });
    opened.push(queue);
    const attempts = await Promise.allSettled([
      queue.ping(),
      queue.enqueue(newRuns(1)),
      queue.depth(DEVICE),
      queue.next(DEVICE, 'h', AbortSignal.timeout(10_000)),
      queue.hold({ id: 'x', deviceKey: DEVICE }, 'h'),
    ]);
    for (const attempt of attempts) {
      const error: unknown = attempt.status === 'rejected' ? attempt.reason : null;
      expect(error).toBeInstanceOf(ServiceUnavailable);
      const { message } = error as Error;
      expect(message).toMatch(/^The queue at 127\.0\.0\.1:1\S* cannot be reached \(\w+\)\./);
      expect(message).toContain(variable);
      expect(message).not.toContain('secret');
    }
  });
});

describe('a consumer outlives an outage', () => {
  const outage = async (queue: Queue, during: () => Promise<void>) => {
    opened.push(queue);
    const runs = newRuns(2);
    const { taken, take, until } = taker();
    consume(queue, DEVICE, take);
    await queue.enqueue(runs.slice(0, 1));
    await until(1);
    await during();
    await eventually(() =>
      queue.enqueue(runs.slice(1)).then(
        () => true,
        () => false,
      ),
    );
    await until(2);
    expect(taken).toEqual(runs.map((run) => run.id));
  };

  test.skipIf(redisUrl === null)('of Redis', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tilemark-redis-'));
    const redis = await startRedis({ dataDir });
    const queue = openQueue({ redisUrl: redis!.url, databaseUrl: '' });
    await outage(queue, async () => {
      await redis!.stop();
      await expect(queue.ping()).rejects.toBeInstanceOf(ServiceUnavailable);
      const again = await startRedis({ dataDir, port: redis!.port });
      onTestFinished(async () => {
        await again!.stop();
        await rm(dataDir, { recursive: true });
      });
    });
  });

  test('of Postgres', async () => {
    const databaseUrl = await testDatabase();
    const queue = openQueue({ databaseUrl });
    await outage(queue, async () => {
      await takeDown(databaseUrl);
      await expect(queue.ping()).rejects.toBeInstanceOf(ServiceUnavailable);
      await bringUp(databaseUrl);
    });
  });
});

test('a login that Redis refuses is told without its password', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-redis-'));
  const redis = await startRedis({ dataDir: folder });
  if (!redis) throw new Error('There is no redis-server on PATH.');
  onTestFinished(async () => {
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const url = new URL(redis.url);
  url.username = 'default';
  url.password = 'wrong-and-secret';
  const told: unknown[] = [];
  const queue = openQueue({
    databaseUrl: '',
    redisUrl: url.href,
    prefix: randomUUID(),
    onError: (error) => told.push(error),
  });
  await expect(queue.ping()).rejects.toThrow(ServiceUnavailable);
  await queue.close();
  expect(told.length).toBeGreaterThan(0);
  expect(inspect(told, { depth: 9 })).not.toContain('wrong-and-secret');
});
