import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTlsProxy } from '../tls-proxy';
import { Lab, type Machine, type Program } from './hosts';

/**
 * `npm run test:attach`: four machines in a network of their own, as in a lab. One is the grid,
 * as `npm start` brings it up; two attach their GPUs with the command that the page shows, one of
 * them through a proxy with TLS; one has a member token. Of the grid they reach the site's port and
 * nothing else. The machines are network namespaces, so this takes root; they reach no registry, so
 * what `npx` installs beside the served package is put into npm's cache before. Prints what it sees
 * and ends with 1 at the first thing that is not so.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const PORT = 3000;
/** The exit code of a test that cannot run here: scripts/test counts it as skipped. */
const UNAVAILABLE = 77;
const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';
/** One run that the slowest adapter does in seconds: without barriers. */
const SPEC = {
  cases: [{ kernel: 'matmul/naive', shapes: [{ m: 64, n: 64, k: 64 }], dtypes: ['f32'] }],
  policy: 'smoke',
};
/** Runs of a second or so each, to be hit in the middle. */
const LONG_SPEC = {
  cases: [
    {
      kernel: 'matmul/naive',
      shapes: Array.from({ length: 5 }, (_, at) => ({ m: 64 + at, n: 64, k: 64 })),
      dtypes: ['f32'],
    },
  ],
};
const BOARD = 'leaderboard?op=matmul&dtype=f32&shape=64&profile=default';

interface Listed {
  readonly id: string;
  readonly host: string;
  readonly state: string;
  readonly device: { readonly key: string; readonly name: string };
}
interface Sweep {
  readonly id: string;
  readonly name: string;
  readonly createdBy: string;
  readonly counts: Readonly<
    Record<'total' | 'pending' | 'measured' | 'failed' | 'incorrect', number>
  >;
}
interface List<T> {
  readonly items: readonly T[];
}

const startedMs = performance.now();
const say = (text: string): void => {
  process.stdout.write(
    `${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(7)} s  ${text}\n`,
  );
};

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`Not so: ${what}`);
  say(`✓ ${what}`);
}

/** Why this machine cannot run the test; null where it can. */
function missing(): string | null {
  if (process.getuid?.() !== 0) return 'Run it as root: it makes network namespaces.';
  try {
    execFileSync('ip', ['netns', 'list'], { stdio: 'ignore' });
  } catch {
    return 'It needs `ip netns` (Debian: apt-get install iproute2) and the right to make namespaces.';
  }
  return existsSync(SWIFTSHADER)
    ? null
    : `It needs a second software GPU, Chromium's SwiftShader: there is no ${SWIFTSHADER}.`;
}

/** npm's cache with what the served package installs, so that machines need no registry. */
async function fillCache(folder: string, origin: string): Promise<string> {
  const served = Buffer.from(await (await fetch(`${origin}/worker.tgz`)).arrayBuffer());
  const manifest = execFileSync('tar', ['-xzO', 'package/package.json'], { input: served });
  const { dependencies, optionalDependencies } = JSON.parse(manifest.toString()) as Record<
    'dependencies' | 'optionalDependencies',
    Record<string, string>
  >;
  const packages = Object.entries({ ...dependencies, ...optionalDependencies });
  const cache = join(folder, 'npm-cache');
  const scratch = join(folder, 'npm-scratch');
  await mkdir(scratch);
  execFileSync(
    'npm',
    [
      ...['install', '--no-audit', '--no-fund', '--cache', cache, '--prefix', scratch],
      ...packages.map(([name, version]) => `${name}@${version}`),
    ],
    { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return cache;
}

async function main(folder: string, lab: Lab): Promise<void> {
  const grid = lab.machine('grid');
  const origin = `http://${grid.address}:${PORT}`;
  const admin = `tm_admin_${randomBytes(32).toString('hex')}`;

  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${origin}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${admin}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  };
  const token = async (role: string): Promise<string> =>
    (await ask<{ secret: string }>('POST', 'tokens', { name: role, role, trusted: true })).secret;
  const until = async <T>(what: string, seconds: number, read: () => Promise<T | null>) => {
    const deadlineMs = performance.now() + seconds * 1_000;
    for (;;) {
      const value = await read();
      if (value !== null) return value;
      if (performance.now() > deadlineMs) throw new Error(`Not within ${seconds} s: ${what}`);
      await sleep(250);
    }
  };

  const site = grid.run(
    `${process.execPath} ${join(root, 'scripts/start.mjs')} --no-worker --host ${grid.address} --port ${PORT} --data ${join(folder, 'grid')}`,
    { TILEMARK_ADMIN_TOKEN: admin, DATABASE_URL: '', REDIS_URL: '', TILEMARK_NO_APT: '1' },
  );
  await until('the grid is up', 600, async () => {
    const gone = await Promise.race([site.ended.then(() => true), sleep(0, false)]);
    if (gone) throw new Error(`The grid ended:\n${site.output()}`);
    return fetch(`${origin}/api/v1/health`).then(
      (response) => (response.ok ? true : null),
      () => null,
    );
  });
  say(`the grid is up at ${origin}`);
  const cache = await fillCache(folder, origin);

  const proxy = await startTlsProxy(origin, lab.address);
  const trust = { NODE_EXTRA_CA_CERTS: proxy.cert, npm_config_cafile: proxy.cert };

  const environment = async (machine: Machine, icd?: string) => {
    const home = join(folder, machine.name);
    await mkdir(home, { recursive: true });
    return {
      ...{ HOME: home, TMPDIR: home, TILEMARK_DATA: '', DATABASE_URL: '', REDIS_URL: '' },
      ...{
        npm_config_cache: cache,
        npm_config_prefer_offline: 'true',
        npm_config_update_notifier: 'false',
      },
      ...(icd && { VK_ICD_FILENAMES: icd, VK_DRIVER_FILES: icd }),
    };
  };
  /** The command as the page shows it, with the token in its place. */
  const shownCommand = async (secret: string): Promise<string> => {
    const page = await (await fetch(`${origin}/add`)).text();
    // Its options are in elements of their own, so that lines break between them.
    const codes = [...page.matchAll(/<code[^>]*>(.*?)<\/code>/gs)];
    const texts = codes.map(([, code = '']) => code.replaceAll(/<[^>]*>/g, ''));
    const command = texts.find((text) => text.startsWith('TILEMARK_TOKEN=TOKEN npx -y '));
    if (!command) throw new Error('The page shows no command that attaches a machine.');
    return command.replace('=TOKEN', `=${secret}`);
  };
  const attach = async (machine: Machine, secret: string, icd?: string): Promise<Program> =>
    machine.run(await shownCommand(secret), await environment(machine, icd));
  const attachByTls = async (machine: Machine, secret: string, icd?: string): Promise<Program> =>
    machine.run((await shownCommand(secret)).replaceAll(origin, proxy.url), {
      ...(await environment(machine, icd)),
      ...trust,
    });
  const reaches = async (machine: Machine, port: number): Promise<boolean> => {
    const script = `require('net').connect(${port}, '${grid.address}')
      .on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
    return (await machine.run(`${process.execPath} -e ${quoted(script)}`, {}).ended) === 0;
  };
  const listed = async (machine: Machine): Promise<Listed | null> =>
    (await ask<List<Listed>>('GET', 'workers')).items.find(({ host }) => host === machine.name) ??
    null;

  const machines = [lab.machine('gpu-host-a'), lab.machine('gpu-host-b')] as const;
  const icds = [undefined, SWIFTSHADER];
  const programs: Program[] = [];
  const workers: Listed[] = [];
  for (const [index, machine] of machines.entries()) {
    const by = index === 0 ? attach : attachByTls;
    const program = await by(machine, await token('worker'), icds[index]);
    programs.push(program);
    const worker = await until(`${machine.name} is listed`, 120, async () => {
      const gone = await Promise.race([program.ended.then(() => true), sleep(0, false)]);
      if (gone) throw new Error(`${machine.name} ended:\n${program.output()}`);
      return listed(machine);
    }).catch((error: Error) => {
      throw new Error(`${error.message}, which printed:\n${program.output()}`);
    });
    workers.push(worker);
    say(`${machine.name} is on the fleet page: ${worker.device.name}`);
  }
  check(workers[0]?.device.key !== workers[1]?.device.key, 'the two are different devices');
  // A person's sweep goes before what devices do by themselves.
  const devices = workers.map(({ device }) => device.key);
  const own = await ask<{ id: string }>('POST', 'sweeps', {
    ...{ name: 'compare', spec: { ...SPEC, devices } },
  });
  await until('both devices have measured', 300, async () => {
    const { counts } = await ask<Sweep>('GET', `sweeps/${own.id}`);
    if (counts.failed + counts.incorrect > 0) throw new Error(JSON.stringify(counts));
    return counts.measured === 2 ? true : null;
  });
  const board = await ask<{ entries?: unknown; rows?: unknown }>('GET', BOARD);
  check(
    devices.every((key) => JSON.stringify(board).includes(key)),
    'the board compares them',
  );
  for (const worker of workers) {
    await until(`${worker.host} back-fills by itself`, 300, async () => {
      const { items } = await ask<List<Sweep>>('GET', 'sweeps');
      const mine = items.filter(
        ({ createdBy, name }) => createdBy === 'tilemark' && name.includes(worker.device.name),
      );
      return mine.some(({ counts }) => counts.pending < counts.total) ? true : null;
    });
    say(`✓ ${worker.host} back-fills by itself`);
  }

  const data = (path: string) => readFile(join(folder, 'grid', path), 'utf8');
  const servicePort = async (name: string) => Number(await data(`${name}/port`).catch(() => 0));
  for (const machine of machines) {
    check(await reaches(machine, PORT), `${machine.name} reaches the site`);
    for (const service of ['postgres', 'redis']) {
      const port = await servicePort(service);
      check(port > 0 && !(await reaches(machine, port)), `and not the grid's ${service}`);
    }
  }

  /** Sends a sweep to both devices through a fault in mid-run; every run is measured once. */
  const through = async (what: string, fault: () => Promise<void>) => {
    const { id } = await ask<{ id: string }>('POST', 'sweeps', {
      ...{ name: what, spec: { ...LONG_SPEC, devices } },
    });
    await until(`a run of '${what}' ends`, 300, async () => {
      const { counts } = await ask<Sweep>('GET', `sweeps/${id}`);
      return counts.measured > 0 ? true : null;
    });
    await fault();
    const { counts } = await until(`'${what}' is done`, 600, async () => {
      const sweep = await ask<Sweep>('GET', `sweeps/${id}`).catch(() => null);
      return sweep?.counts.pending === 0 ? sweep : null;
    });
    check(counts.measured === counts.total, `${what}: all ${counts.total} runs were measured`);
    const { items } = await ask<List<{ resultId: string }>>('GET', `sweeps/${id}/results`);
    check(
      new Set(items.map(({ resultId }) => resultId)).size === counts.total,
      'each run has one result',
    );
  };
  const kill = (pids: readonly number[]) => {
    if (pids.length === 0) throw new Error('There is nothing to kill.');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  const [first, second] = machines;
  await through('the site is killed and restarts', async () => {
    kill(grid.pidsOf('apps/web/dist/serve.mjs'));
  });
  await through('Redis is killed and restarts', async () => {
    kill([Number((await data('redis/redis.pid')).split('\n')[0])]);
  });
  await through('Postgres is killed and restarts', async () => {
    kill([Number((await data('postgres/cluster/postmaster.pid')).split('\n')[0])]);
  });
  await through('a cable is pulled for 40 s', async () => {
    second.plug(false);
    await sleep(40_000);
    second.plug(true);
  });
  await through('a machine gets another address', async () => {
    first.move(77);
    check(await reaches(first, PORT), `${first.name} reaches the site from ${first.address}`);
  });
  for (const [index, program] of programs.entries()) {
    const end = await Promise.race([program.ended, sleep(0, 'at work')]);
    check(end === 'at work', `${machines[index]?.name} went through all of it in one process`);
  }

  const revoked = workers[1];
  if (!revoked) throw new Error('There is no second worker.');
  await ask('DELETE', `workers/${revoked.id}`);
  const revokedMs = performance.now();
  const code = await Promise.race([programs[1]?.ended, sleep(60_000, 'still running')]);
  check(code === 3, `the revoked host ended with code 3 (${code})`);
  const seconds = (performance.now() - revokedMs) / 1_000;
  check(seconds < 10, `within 10 s (${seconds.toFixed(1)} s)`);
  check(programs[1]?.output().includes('This worker was revoked') === true, 'and said why');
  check((await listed(machines[1])) === null, 'and is not listed any more');
  check((await listed(machines[0])) !== null, 'the other one goes on');

  const visitor = lab.machine('laptop');
  const member = await token('member');
  const submit = visitor.run(
    `${process.execPath} -e ${quoted(`
      fetch('${origin}/api/v1/sweeps', {
        method: 'POST',
        headers: { authorization: 'Bearer ${member}', 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify({ name: 'mine', spec: { ...SPEC, devices: [devices[0]] } }))},
      }).then((response) => process.exit(response.status === 201 ? 0 : 1))`)}`,
    {},
  );
  check((await submit.ended) === 0, 'a member submits');
  const refused = await attach(visitor, member);
  check((await refused.ended) === 3, 'and does not attach');
  check(
    refused.output().includes('A member token may not do this; it takes worker or admin.'),
    'and is told why',
  );
  await proxy.stop();
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const why = missing();
if (why) {
  process.stderr.write(`${why}\n`);
  process.exit(UNAVAILABLE);
}
const folder = await mkdtemp(join(tmpdir(), 'tilemark-attach-'));
const lab = new Lab();
try {
  await main(folder, lab);
  say('all is as it should be');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
}
