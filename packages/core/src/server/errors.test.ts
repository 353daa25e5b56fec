import { describe, expect, it } from 'vitest';
import { connectionError, ServiceUnavailable, translatingErrors } from './errors';

const place = { kind: 'database', at: 'db:5432', variable: 'DATABASE_URL' } as const;
/** As Prisma keeps what Postgres said. */
const fromPostgres = (code: string) =>
  Object.assign(new Error('Database error.'), {
    code: 'P2039',
    meta: { driverAdapterError: { cause: { kind: 'postgres', code, originalCode: code } } },
  });

describe('connectionError', () => {
  it.each([
    ['a full disk', '53100'],
    ['no memory', '53200'],
    ['too many connections', '53300'],
    ['a connection that failed', '08006'],
    ['an administrator who ends sessions', '57P01'],
    ['a file that cannot be written', '58030'],
    ['a deadlock', '40P01'],
  ])('takes %s for an outage: the same may pass later', (_what, code) => {
    expect(connectionError(fromPostgres(code), place)).toBeInstanceOf(ServiceUnavailable);
  });

  it.each([
    ['a value out of range', '22003'],
    ['a broken constraint', '23514'],
    ['a wrong statement', '42601'],
    ['a right that is missing', '42501'],
  ])('does not take %s for one: it would never pass', (_what, code) => {
    const error = fromPostgres(code);
    expect(connectionError(error, place)).toBe(error);
  });

  it.each([
    'LOADING Redis is loading the dataset in memory',
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
    'MISCONF Redis is configured to save RDB snapshots, but it cannot persist to disk.',
  ])('takes an answer of Redis for an outage: %s', (message) => {
    expect(connectionError(new Error(message), place)).toBeInstanceOf(ServiceUnavailable);
  });
});

it.each([
  fromPostgres('53100'),
  Object.assign(new Error('write'), { code: 'ENOSPC' }),
  new Error('MISCONF Errors writing to the AOF file: No space left on device'),
])('says of a full disk that it is full', (error) => {
  expect(connectionError(error, place)).toMatchObject({
    isDiskFull: true,
    message: expect.stringMatching(/^The database at db:5432 has no room to write/),
  });
  expect(connectionError(fromPostgres('08006'), place)).toMatchObject({ isDiskFull: false });
});

it("translates what promises of another make reject with, as Prisma's are", async () => {
  const rejecting = Promise.reject(new Error('down'));
  // biome-ignore lint/suspicious/noThenProperty: what Prisma returns
  const thenable = { then: rejecting.then.bind(rejecting) };
  const store = translatingErrors({ read: () => thenable }, () => new Error('translated'));
  await expect(store.read()).rejects.toThrow('translated');
});
