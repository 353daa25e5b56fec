import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { EnvError, readAdminTokenSetting, readEnv } from './env';

const DATABASE_URL = 'postgresql://tilemark:x@localhost/tilemark';

test('only the database has to be named', () => {
  expect(readEnv({ DATABASE_URL })).toEqual({
    databaseUrl: DATABASE_URL,
    redisUrl: null,
    dataDir: resolve('.tilemark'),
    isPublic: true,
    sessionSecret: null,
    limits: { logIn: 60, enroll: 60, read: 240, submit: 600 },
    isBehindProxy: false,
  });
});

test('reads what is set', () => {
  expect(
    readEnv({
      DATABASE_URL,
      REDIS_URL: 'rediss://cache:6380/2',
      TILEMARK_DATA: '/data',
      TILEMARK_PUBLIC: '0',
      TILEMARK_PROXY: '1',
      TILEMARK_SESSION_SECRET: 's'.repeat(32),
    }),
  ).toMatchObject({
    redisUrl: 'rediss://cache:6380/2',
    dataDir: '/data',
    isPublic: false,
    isBehindProxy: true,
    sessionSecret: 's'.repeat(32),
  });
});

test('limits are whole numbers per minute, and 0 means none', () => {
  const limits = { TILEMARK_LIMIT_LOGIN: '0', TILEMARK_LIMIT_SUBMIT: '5' };
  expect(readEnv({ DATABASE_URL, ...limits }).limits).toEqual({
    logIn: 0,
    enroll: 60,
    read: 240,
    submit: 5,
  });
  expect(() => readEnv({ DATABASE_URL, TILEMARK_LIMIT_ENROLL: 'many' })).toThrow(
    /TILEMARK_LIMIT_ENROLL must be a number of requests per minute/,
  );
});

test('empty is unset', () => {
  const empty = { REDIS_URL: '', TILEMARK_DATA: ' ', TILEMARK_PUBLIC: '' };
  expect(readEnv({ DATABASE_URL, ...empty })).toEqual(readEnv({ DATABASE_URL }));
});

test.each([
  [{}, /^DATABASE_URL is not set: set it to postgresql:/],
  [{ DATABASE_URL: 'localhost' }, /^DATABASE_URL is not a Postgres URL/],
  [{ DATABASE_URL: 'mysql://localhost/x' }, /^DATABASE_URL is not a Postgres URL/],
  [{ DATABASE_URL, REDIS_URL: 'localhost:6379' }, /^REDIS_URL is not a Redis URL/],
  [{ DATABASE_URL, TILEMARK_PUBLIC: 'no' }, /^TILEMARK_PUBLIC must be 0 or 1/],
  [{ DATABASE_URL, TILEMARK_SESSION_SECRET: 'short' }, /^TILEMARK_SESSION_SECRET is shorter/],
])('%j is refused in words', (variables, message) => {
  expect(() => readEnv(variables)).toThrow(EnvError);
  expect(() => readEnv(variables)).toThrow(message);
});

test('the admin token is unset, empty, or one of its form', () => {
  const TILEMARK_ADMIN_TOKEN = `tm_admin_${'0123456789abcdef'.repeat(4)}`;
  expect(readAdminTokenSetting({})).toBeNull();
  expect(readAdminTokenSetting({ TILEMARK_ADMIN_TOKEN: '' })).toBeNull();
  expect(readAdminTokenSetting({ TILEMARK_ADMIN_TOKEN })).toBe(TILEMARK_ADMIN_TOKEN);
});

test.each([
  'hunter2',
  'tm_admin_hunter2',
  `tm_member_${'a'.repeat(64)}`,
  `tm_admin_${'a'.repeat(63)}!`,
])('%s is not an admin token, and is not repeated', (TILEMARK_ADMIN_TOKEN) => {
  const read = () => readAdminTokenSetting({ TILEMARK_ADMIN_TOKEN });
  expect(read).toThrow(EnvError);
  expect(read).toThrow(
    /^TILEMARK_ADMIN_TOKEN is not an admin token: set it to tm_admin_ .*openssl/,
  );
  expect(read).not.toThrow(TILEMARK_ADMIN_TOKEN);
});

test('every variable at fault is named, and no secret is repeated', () => {
  const variables = { DATABASE_URL: 'http://hunter2@x', REDIS_URL: 'x' };
  expect(() => readEnv(variables)).toThrow(/DATABASE_URL .*\.\nREDIS_URL .*\./);
  expect(() => readEnv(variables)).not.toThrow(/hunter2/);
});
