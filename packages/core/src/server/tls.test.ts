import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../../scripts/services/port';
import { startPostgres } from '../../../../scripts/services/postgres';
import type { PrivateService } from '../../../../scripts/services/process';
import { testRedisUrl } from '../../services.test-helper';

const run = promisify(execFile);
const LOADER = new URL('../../../../scripts/bootstrap/typescript.mjs', import.meta.url).href;
const PING = fileURLToPath(new URL('ping.test-helper.ts', import.meta.url));

let folder: string;
let authority: string;
let postgres: PrivateService;
let redis: ChildProcess;
let redisUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-tls-'));
  await chmod(folder, 0o755);
  const file = (name: string) => join(folder, name);
  authority = file('ca.crt');
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  // An authority of our own, as a lab has, and a certificate of it for both services.
  await openssl(
    ...[
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=lab authority',
    ],
    ...['-keyout', 'ca.key', '-out', 'ca.crt'],
  );
  await openssl(
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'],
    ...['-keyout', 'server.key', '-out', 'server.csr'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  );
  await openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-days', '2'],
    ...['-CAcreateserial', '-copy_extensions', 'copy', '-out', 'server.crt'],
  );
  const plain = await startPostgres({ dataDir: file('postgres') });
  await plain.stop();
  // The server runs as the owner of its cluster, and reads a key that nobody else can.
  const { uid, gid } = await stat(join(folder, 'postgres', 'cluster'));
  await run('cp', [file('server.key'), file('postgres.key')]);
  await chown(file('postgres.key'), uid, gid);
  await chmod(file('postgres.key'), 0o600);
  postgres = await startPostgres({
    dataDir: file('postgres'),
    settings: { ssl: 'on', ssl_cert_file: file('server.crt'), ssl_key_file: file('postgres.key') },
  });
  if (testRedisUrl() === null) return;
  const port = await freePort();
  redisUrl = `rediss://:secret@127.0.0.1:${port}`;
  redis = spawn('redis-server', [
    ...['--port', '0', '--tls-port', String(port), '--requirepass', 'secret', '--save', ''],
    ...['--tls-cert-file', file('server.crt'), '--tls-key-file', file('server.key')],
    ...['--tls-ca-cert-file', authority, '--tls-auth-clients', 'no', '--dir', folder],
    ...['--maxmemory-policy', 'noeviction'],
  ]);
  for await (const chunk of redis.stdout ?? []) {
    if (String(chunk).includes('Ready to accept connections')) break;
  }
});
afterAll(async () => {
  redis?.kill();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const ping = async (database: string, env: Record<string, string>) =>
  (
    await run(process.execPath, ['--import', LOADER, PING, database, redisUrl], {
      env: { ...process.env, ...env },
    })
  ).stdout;

test.skipIf(testRedisUrl() === null)('services are reached over TLS', async () => {
  const trusting = { NODE_EXTRA_CA_CERTS: authority };
  expect(await ping(`${postgres.url}?sslmode=require`, trusting)).toBe('both answer');
  expect(await ping(`${postgres.url}?sslmode=verify-full`, trusting)).toBe('both answer');
});

test.skipIf(testRedisUrl() === null)('and not where nobody vouches for them', async () => {
  const answer = await ping(`${postgres.url}?sslmode=require`, { NODE_EXTRA_CA_CERTS: '' });
  expect(answer).toMatch(/certificate|CERT|issuer/i);
});
