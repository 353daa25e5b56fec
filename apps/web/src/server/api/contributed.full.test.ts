import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { outcomeReason } from '@tilemark/core';
import { kernelTemplate } from '@tilemark/core/contributed';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { handle } from './app';

/**
 * Contributed kernels on a whole grid: the API behind a port, a worker of the software GPU that is
 * attached to it, and `tilemark` and the GitHub Action's script as a stranger runs them.
 */

const root = fileURLToPath(new URL('../../../../..', import.meta.url));
const bundle = join(root, 'node_modules', '.cache', `tilemark-${randomUUID()}`);
const main = join(bundle, 'main.mjs');

let grid: TestGrid;
let site: Server;
let server: string;
let folder: string;
let worker: ChildProcess;
let member: string;
/** A sweep as submitted, but screened: the command takes the default policy, whose duels last 30 s. */
async function screened(request: Request): Promise<Request> {
  const { spec, ...sweep } = await request.json();
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  const body = JSON.stringify({ ...sweep, spec: { ...spec, policy: 'screen' } });
  return new Request(request.url, { method: 'POST', headers, body });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-contributed-'));
  await promisify(execFile)(process.execPath, [
    join(root, 'scripts', 'bundle.mjs'),
    ...['--outdir', bundle],
  ]);
  grid = await openTestGrid();
  site = createServer(async (incoming, outgoing) => {
    const { headers, method = 'GET', url = '/' } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(new URL(url, server), {
      method,
      headers: headers as Record<string, string>,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    } as RequestInit);
    const isScreened = url === '/api/v1/sweeps' && method === 'POST';
    const answer = await handle(isScreened ? await screened(request) : request);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  server = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`;
  member = await grid.token('member', 'Ada');
  worker = fork(
    main,
    [
      ...['worker', '--device', '0', '--contributed'],
      ...['--server', server, '--token', await grid.token('worker')],
    ],
    {
      env: { ...process.env, TMPDIR: folder, TILEMARK_DATA: folder },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    },
  );
  const becomes = (state: string) =>
    vi.waitFor(
      async () => {
        const [listed] = await grid.store.workers.list();
        expect(listed).toMatchObject({ contributed: true, state });
        return listed?.id ?? '';
      },
      { timeout: 120_000, interval: 100 },
    );
  // It begins with the standing suites, whose run in hand it gives back.
  const id = await becomes('running');
  await grid.store.workers.want(id, 'paused');
  await becomes('paused');
  const { items } = await grid.store.sweeps.list();
  await Promise.all(items.map((sweep) => grid.store.sweeps.cancel(sweep.id)));
  await grid.store.workers.want(id, 'working');
});
afterAll(async () => {
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill('SIGKILL');
  await gone;
  site.close();
  site.closeAllConnections();
  await grid.close();
  await rm(folder, { recursive: true, force: true });
  await rm(bundle, { recursive: true, force: true });
});

/** Runs a command in the folder; what it printed, and its exit code. */
const run = (command: string, args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, TMPDIR: folder, ...env } };
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
  });
const tilemark = (...args: string[]) => run(process.execPath, [main, ...args]);

const template = kernelTemplate('mine');
const SUM = 'var sum = Acc(0);';

it('a kernel is submitted, measured, published, and removed', async () => {
  await writeFile(join(folder, 'main.wgsl'), template);
  const flags = ['--server', server, '--token', member, '--shapes', '64'];
  const done = await tilemark('submit', 'main.wgsl', ...flags, '--publish', '--wait');
  expect(done).toMatchObject({ code: 0, text: expect.stringMatching(/ada\/mine@[0-9a-f]{8}/) });
  const id = /ada\/mine@[0-9a-f]{8}/.exec(done.text)?.[0] ?? '';
  expect(done.text).toMatch(/matmul\/naive/);
  expect(done.text).not.toMatch(/incorrect|failed|skipped|not run/);
  expect((await grid.store.kernelResults({ kernel: id })).rows).toHaveLength(1);
  const shown = await call('GET /kernels/{id}', { params: { id } });
  expect(await shown.json()).toMatchObject({ id, wgsl: expect.stringContaining('fn main') });

  const spec = {
    cases: [{ kernel: id, tunables: {}, shapes: [{ m: 64, n: 64, k: 64 }], dtypes: ['f32'] }],
    policy: 'smoke',
  };
  const again = () => call('POST /sweeps', { token: member, body: { name: 'again', spec } });
  const allowed = await again();
  expect(allowed.status).toBe(201);
  await grid.store.sweeps.cancel((await allowed.json()).id);

  const stranger = await grid.token('member', 'Eve');
  const remove = (token: string) => call('DELETE /kernels/{id}', { params: { id }, token });
  expect((await remove(stranger)).status).toBe(403);
  expect((await remove(member)).status).toBe(204);
  expect((await grid.store.kernelResults({ kernel: id })).rows).toHaveLength(0);
  expect((await call('GET /kernels/{id}', { params: { id } })).status).toBe(404);
});

it('the API answers bad input once, at its place, and enqueues nothing', async () => {
  const post = (source: string) => call('POST /kernels', { token: member, body: { source } });
  const rows = async () => {
    const { items } = await grid.store.sweeps.list();
    const sweeps = items.filter(({ createdBy }) => createdBy === 'Ada').length;
    return { kernels: (await grid.rows()).ContributedKernel, sweeps };
  };
  const before = await rows();
  const bad = await post(template.replace('read_write> C', 'read> C'));
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ field: expect.stringMatching(/^wgsl:\d+$/) });
  expect((await post('x'.repeat(300_000))).status).toBe(400);
  for (const [source, field] of [
    ['', 'wgsl'],
    // No kernel at all, whatever its manifest leaves out.
    ['fn main() {}', 'wgsl'],
    [template.replace('"rows": "BLOCK"', '"rows": 0'), 'manifest.covers.rows'],
    [template.replace('"op":', '"entryPoint": "start", "op":'), 'manifest.entryPoint'],
    [template.replace('"op": "matmul"', '"op": "transpose"'), /^wgsl:\d+$/],
  ] as const) {
    const refused = await post(source);
    expect(refused.status).toBe(400);
    expect((await refused.json()).field).toMatch(field);
  }
  expect(await rows()).toEqual(before);
});

/** Processes that a process has started, and the memory of one, from /proc. */
const childrenOf = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
const residentMiB = async (pid: number) =>
  Number(/VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

it('bombs cost the grid, its other runs, and its memory nothing', async () => {
  const STORE = 'C[row * shape.n + col] = T(sum);';
  const calls = Array.from(
    { length: 24 },
    (_, i) => `fn g${i + 1}(x: f32) -> f32 { return g${i}(x) + g${i}(x + 1.0); }`,
  ).join('\n');
  const bombs: Readonly<Record<string, readonly [source: string, shapes: number, how: RegExp]>> = {
    'does not end': [
      template.replace(
        SUM,
        `var turns = 1u;\n  while (id.x >= BLOCK && turns != shape.m - shape.m) { turns |= 1u; C[id.x] += f32(turns); }\n  ${SUM}`,
      ),
      3,
      /did not end within (5|20) s|quarantined: it has crashed or hung this device 2 times/,
    ],
    'compiles for ever': [
      template
        .replace('struct Shape', `fn g0(x: f32) -> f32 { return x; }\n${calls}\nstruct Shape`)
        .replace(STORE, 'C[row * shape.n + col] = g24(sum);'),
      1,
      /no answer for 20 s at step: compile|too much memory/,
    ],
    'writes outside': [
      template.replace(STORE, `${STORE}\n  C[shape.m * shape.n + 7u] = 1.0;`),
      1,
      /past the end of its output/,
    ],
    'does nothing': [template.replace(STORE, ''), 1, /should be/],
  };
  const mallory = await grid.token('member', 'Mallory');
  const shapes = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ m: 64 + i, n: 64, k: 64 }));
  const submit = async (token: string, kernel: string, count: number) => {
    const spec = { cases: [{ kernel, shapes: shapes(count) }], policy: 'smoke' };
    const answer = await call('POST /sweeps', { token, body: { name: kernel, spec } });
    expect(answer.status).toBe(201);
    return (await answer.json()).id as string;
  };
  const pid = worker.pid ?? 0;
  const beforeMiB = await residentMiB(pid);
  const sweeps: string[] = [];
  const honest: string[] = [];
  for (const [source, count] of Object.values(bombs)) {
    const kept = await call('POST /kernels', { token: mallory, body: { source } });
    expect(kept.status).toBe(201);
    sweeps.push(await submit(mallory, (await kept.json()).id, count));
    honest.push(await submit(member, 'matmul/tiled', 2));
  }
  await vi.waitFor(
    async () => {
      for (const id of [...sweeps, ...honest]) {
        expect((await grid.store.sweeps.get(id))?.status).toBe('done');
      }
    },
    { timeout: 240_000, interval: 500 },
  );
  const fates = await Promise.all(sweeps.map((id) => grid.store.sweeps.results(id)));
  for (const [i, [name, [, , how]]] of Object.entries(bombs).entries()) {
    for (const { outcome } of fates[i]?.items ?? []) {
      expect([name, outcome?.kind === 'measured' ? '' : outcomeReason(outcome)]).toEqual([
        name,
        expect.stringMatching(how),
      ]);
    }
  }
  expect(fates[0]?.items.map(({ outcome }) => outcome?.kind).sort()).toEqual([
    ...['failed', 'failed', 'skipped'],
  ]);
  for (const id of honest) {
    const { items } = await grid.store.sweeps.results(id);
    expect(items.map(({ outcome }) => outcome?.kind)).toEqual(['measured', 'measured']);
  }
  // The last honest run ended the processes of the others; its own stays for the next.
  expect(await childrenOf(pid)).toHaveLength(1);
  expect((await residentMiB(pid)) - beforeMiB).toBeLessThan(64);
  expect(worker.exitCode).toBeNull();
});
