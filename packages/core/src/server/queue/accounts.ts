import type { Redis } from 'ioredis';
import { AccountsRefused } from '../errors';

/**
 * What BullMQ and ioredis need of Redis, also inside of BullMQ's scripts: Redis checks each
 * command of a script, and each key, against the user that runs it. No command that names no
 * key beyond what a connection needs: no KEYS, SCAN, FLUSHALL, CONFIG, ACL, and no pub/sub.
 */
const COMMANDS = [
  ...['auth', 'hello', 'ping', 'info', 'select', 'quit', 'time', 'client|setname'],
  ...['client|id', 'eval', 'evalsha', 'script|load', 'multi', 'exec'],
  ...['del', 'unlink', 'exists', 'type', 'get', 'set', 'incr', 'incrby', 'pexpire', 'pexpireat'],
  ...['pttl', 'hdel', 'hexists', 'hget', 'hgetall', 'hincrby', 'hlen', 'hmget', 'hmset', 'hset'],
  ...['lindex', 'llen', 'lpop', 'lpos', 'lpush', 'lrange', 'lrem', 'lset', 'ltrim', 'rpop'],
  ...['rpoplpush', 'rpush', 'sadd', 'scard', 'sismember', 'smembers', 'srem'],
  ...['xadd', 'xdel', 'xlen', 'xrange', 'xread', 'xtrim'],
  ...['zadd', 'zcard', 'zcount', 'zlexcount', 'zpopmin', 'bzpopmin', 'zrange', 'zrangebylex'],
  ...['zrangebyscore', 'zrem', 'zremrangebyrank', 'zremrangebyscore', 'zrevrange'],
  ...['zrevrangebyscore', 'zscore'],
].map((command) => `+${command}`);

/** Lets a Redis user use the keys of one queue; see `Queue.admit`. */
export async function admit(
  client: Redis,
  { login, passwordHash }: { login: string; passwordHash: string },
  queue: string,
): Promise<void> {
  await permitted(async () => {
    const known = (await client.call('ACL', 'GETUSER', login)) as unknown[] | null;
    const passwords = known?.[known.indexOf('passwords') + 1];
    if (Array.isArray(passwords) && passwords.includes(passwordHash)) return;
    // A user's sessions outlive its password, not the user.
    await client.call('ACL', 'DELUSER', login);
    await client.call(
      'ACL',
      'SETUSER',
      ...[login, 'reset', 'on', `#${passwordHash}`, `~${queue}`, `~${queue}:*`, ...COMMANDS],
    );
  });
}

/** Deletes a Redis user, which closes its connections. */
export async function expel(client: Redis, login: string): Promise<void> {
  await permitted(async () => {
    await client.call('ACL', 'DELUSER', login);
  });
}

async function permitted(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error) || !/^NOPERM|^ERR unknown command/.test(error.message))
      throw error;
    throw new AccountsRefused(
      "The grid's Redis user may not make a user for the worker. Give it +acl|setuser, +acl|deluser and +acl|getuser, or leave REDIS_URL empty to keep the queue in Postgres.",
    );
  }
}
