import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Sweep } from '@tilemark/core';
import { parse } from 'yaml';
import { composeSetting } from './environment';
import { freePort } from './services/port';
import { holdsWithin } from './until';

/**
 * `npm run images`: builds the images of the site and the worker, prints what they weigh over their
 * base, then runs the services of docker-compose.yml against each other until a worker's results
 * are on the site. Needs Docker or Podman; arguments after `--` go to the engine's `build`. The worker
 * measures the CPU: a GPU's driver is the host's, which an image cannot bring.
 */

interface Service {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly [kind: string, ...command: string[]] };
}

const PREFIX = 'tilemark-images';
/** The image that both Dockerfiles build on; engines know a pinned one by its digest. */
const [, PINNED = ''] =
  /^ARG NODE_IMAGE=(\S+)/m.exec(readFileSync('apps/worker/Dockerfile', 'utf8')) ?? [];
const BASE = composeSetting('NODE_IMAGE') ?? PINNED;
const READY_WITHIN_MS = 120_000;
const MEASURED_WITHIN_MS = 300_000;

const secret = () => randomBytes(16).toString('hex');
const adminToken = `tm_admin_${randomBytes(32).toString('hex')}`;
const variables: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: secret(),
  REDIS_PASSWORD: secret(),
  TILEMARK_ADMIN_TOKEN: adminToken,
};

const engine = ['docker', 'podman'].find((name) => succeeds(name, 'info'));
if (!engine) {
  console.error('No container engine answers here: start Docker, or install podman.');
  process.exit(1);
}
const run = (...args: string[]) => execFileSync(engine, args, { encoding: 'utf8' }).trim();

/** The compose file with its `${NAME:-default}` filled in, as `docker compose` does. */
const { services } = parse(
  readFileSync('docker-compose.yml', 'utf8')
    .replaceAll(
      /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
      (_, name, other = '') => variables[name] ?? composeSetting(name) ?? other,
    )
    .replaceAll('$$', '$'),
  { merge: true },
) as { services: Record<'postgres' | 'redis' | 'web' | 'worker', Service> };

const containers: string[] = [];
const imageOf = (name: string, { image }: Service) => image ?? `${PREFIX}-${name}`;

for (const [name, service] of Object.entries(services)) {
  if (!service.build) continue;
  console.log(`Build ${name} ...`);
  const file = ['--file', service.build.dockerfile];
  const base = ['--build-arg', `NODE_IMAGE=${BASE}`];
  const tag = ['--tag', imageOf(name, service)];
  const args = ['build', ...process.argv.slice(2), ...base, ...tag, ...file, '.'];
  execFileSync(engine, args, { stdio: 'inherit' });
}
const megabytes = (image: string) =>
  Math.round(Number(run('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
// BuildKit, Docker's default, does not keep the image that it builds on.
const base = BASE.replace(/:[^@:/]+@/, '@');
const ofBase = succeeds(engine, 'image', 'inspect', base) ? `${megabytes(base)} MB` : 'unknown';
for (const name of ['web', 'worker'] as const) {
  console.log(`${name}: ${megabytes(imageOf(name, services[name]))} MB, base: ${ofBase}`);
}

const port = await freePort();
const url = `http://127.0.0.1:${port}/api/v1`;
try {
  run('network', 'create', PREFIX);
  for (const name of ['postgres', 'redis'] as const) {
    start(name);
    const { healthcheck } = services[name];
    const [kind, ...test] = healthcheck?.test ?? ['CMD', 'true'];
    const command = kind === 'CMD-SHELL' ? ['sh', '-c', ...test] : test;
    await until(`${name} to answer`, READY_WITHIN_MS, async () =>
      succeeds(engine, 'exec', `${PREFIX}-${name}`, ...command),
    );
  }
  start('web', ['--publish', `127.0.0.1:${port}:3000`]);
  await until('the site to answer', READY_WITHIN_MS, async () => (await get('health')) !== null);
  start('worker', [], ['node', 'dist/main.mjs', 'worker', '--device', 'cpu']);
  await until('a finished suite', MEASURED_WITHIN_MS, async () => {
    const sweeps = (await get('sweeps')) as { items: Pick<Sweep, 'status' | 'counts'>[] } | null;
    return (
      sweeps?.items.some(({ status, counts }) => status === 'done' && counts.measured) ?? false
    );
  });
  console.log('The worker has measured a suite, and the site shows it.');
} catch (error) {
  for (const name of containers) console.error(`--- ${name}\n${logsOf(name)}`);
  throw error;
} finally {
  for (const name of containers) run('rm', '--force', '--volumes', '--time', '0', name);
  run('network', 'rm', PREFIX);
}

function start(name: keyof typeof services, flags: string[] = [], command?: readonly string[]) {
  const service = services[name];
  const container = `${PREFIX}-${name}`;
  containers.push(container);
  const environment = Object.entries(service.environment ?? {}).flatMap(([key, value]) => [
    '--env',
    `${key}=${value ?? ''}`,
  ]);
  // Anonymous volumes at the places that the compose file names: they go with the container.
  const volumes = (service.volumes ?? []).flatMap((at) => ['--volume', at.split(':')[1] ?? at]);
  const network = ['--network', PREFIX, '--network-alias', name];
  const options = [...network, ...environment, ...volumes, ...flags];
  const image = imageOf(name, service);
  run(
    'run',
    '--detach',
    '--name',
    container,
    ...options,
    image,
    ...(command ?? service.command ?? []),
  );
}

async function get(path: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${adminToken}` };
  const response = await fetch(`${url}/${path}`, { headers }).catch(() => null);
  return response?.ok ? response.json() : null;
}

async function until(what: string, withinMs: number, holds: () => Promise<boolean>): Promise<void> {
  if (await holdsWithin(withinMs, holds, 1_000)) return;
  throw new Error(`Waited ${withinMs / 1_000} s for ${what}.`);
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What a container printed, both streams. */
function logsOf(container: string): string {
  return execFileSync('sh', ['-c', `${engine} logs --tail 40 ${container} 2>&1`], {
    encoding: 'utf8',
  });
}
