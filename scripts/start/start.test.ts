import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../services/port';

const script = fileURLToPath(new URL('../start.mjs', import.meta.url));
let scratch: string;
let busy: Server;
let busyPort: number;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tilemark-start-'));
  busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  busyPort = (busy.address() as { port: number }).port;
});

afterAll(async () => {
  busy.close();
  await rm(scratch, { recursive: true, force: true });
});

/**
 * Runs `npm start` with flags that it must refuse. Ports of theirs lie below 32768: from there
 * on the system hands them out, and another program may have one.
 */
function refused(
  flags: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [script, ...flags],
      {
        env: {
          ...process.env,
          DATABASE_URL: '',
          REDIS_URL: '',
          TILEMARK_ADMIN_TOKEN: '',
          ...env,
        },
      },
      (error, _stdout, stderr) => {
        if (!error) reject(new Error('it started'));
        else resolve({ code: Number(error.code), stderr: stderr.trim() });
      },
    );
  });
}

const data = () => ['--data', join(scratch, 'data')];
const oneLine = (text: string) => expect(text.split('\n'), text).toHaveLength(1);

test('a port in use is named, with the flag that chooses another', async () => {
  const { code, stderr } = await refused(['--port', String(busyPort), ...data()]);
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain(`Port ${busyPort} is in use`);
  expect(stderr).toContain(`--port ${busyPort + 1}`);
  expect(await readdir(join(scratch, 'data'))).not.toContain('grid.pid');
});

test('a data folder that cannot be made is named', async () => {
  const file = join(scratch, 'file');
  await writeFile(file, '');
  const { code, stderr } = await refused(['--port', '29517', '--data', join(file, 'data')]);
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain(join(file, 'data'));
  expect(stderr).toContain('--data DIR');
});

test('an unknown flag and a port out of range are refused with the usage or the range', async () => {
  expect((await refused(['--prot', '3000'])).stderr).toContain('--prot');
  expect((await refused(['--port', '70000'])).stderr).toContain('1 to 65535');
});

test('listening beyond loopback needs an admin token', async () => {
  const { code, stderr } = await refused(['--host', '0.0.0.0', '--port', '29518', ...data()]);
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain('admin token');
  expect(stderr).toContain('TILEMARK_ADMIN_TOKEN');
});

test('an admin token that the deployment sets is enough to listen beyond loopback', async () => {
  const { code, stderr } = await refused(['--host', '0.0.0.0', '--port', '29521', ...data()], {
    TILEMARK_ADMIN_TOKEN: `tm_admin_${'a1'.repeat(32)}`,
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/tilemark',
    REDIS_URL: 'redis://127.0.0.1:9',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('The database at 127.0.0.1:9');
});

test('a set admin token of another form is refused, and not repeated', async () => {
  const { code, stderr } = await refused(['--port', '29522', ...data()], {
    TILEMARK_ADMIN_TOKEN: 'hunter2',
  });
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain('TILEMARK_ADMIN_TOKEN');
  expect(stderr).not.toContain('hunter2');
});

test('an unreachable database is named, and nothing is left behind', async () => {
  const own = join(scratch, 'unreachable');
  const { code, stderr } = await refused(['--port', '29519', '--data', own], {
    DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/tilemark',
    REDIS_URL: 'redis://127.0.0.1:9',
  });
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain('The database at 127.0.0.1:9');
  expect(stderr).toContain('DATABASE_URL');
  expect(await readdir(own)).not.toContain('grid.pid');
});

test('an unreachable queue is named', async () => {
  const { code, stderr } = await refused(['--port', '29520', ...data()], {
    REDIS_URL: 'redis://127.0.0.1:9',
  });
  expect(code).toBe(1);
  oneLine(stderr);
  expect(stderr).toContain('The queue at 127.0.0.1:9');
  expect(stderr).toContain('REDIS_URL');
});

// The second start is on the data of the first.
test.each([
  ['SIGTERM to npm start', 'SIGTERM', 1],
  ['Ctrl-C, which reaches the whole process group,', 'SIGINT', -1],
] as const)('%s before the grid is up stops the services', async (_what, signal, sign) => {
  const own = join(scratch, 'early');
  const child = spawn(
    process.execPath,
    [script, '--port', '29523', '--data', own, '--no-worker'],
    // A process group of its own, as a terminal makes it.
    { detached: true, env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' } },
  );
  const ended = once(child, 'close');
  let output = '';
  let isSent = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      if (isSent || !output.includes('Build the site')) return;
      isSent = true;
      process.kill(sign * (child.pid ?? 0), signal);
    });
  }
  expect(await ended, output).toEqual([0, null]);
  expect(output).toMatch(
    /Build the site and the worker \.\.\.\n\n {2}Stopped before it was up\.\n$/,
  );
  expect(await readdir(own)).not.toContain('grid.pid');
  for (const service of ['postgres', 'redis']) {
    const port = Number(await readFile(join(own, service, 'port'), 'utf8'));
    expect(await freePort(port), service).toBe(port);
  }
});
