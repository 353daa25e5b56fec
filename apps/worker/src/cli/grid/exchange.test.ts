import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchFileSchema, questionSchema, summarise } from '@tilemark/core';
import { importResults, openStore, type Store } from '@tilemark/core/server';
import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import { useBundle } from '../../bundle.test-helper';

/** `import`, `export` and `rerun` against a site that is the store and nothing else. */

const bundle = useBundle();
const TOKEN = 'tm_member_x';
const ADMIN_TOKEN = 'tm_admin_x';
const ROLES: Readonly<Record<string, 'member' | 'admin'>> = {
  [`Bearer ${TOKEN}`]: 'member',
  [`Bearer ${ADMIN_TOKEN}`]: 'admin',
};
let store: Store;
let site: Server;
let server: string;
let folder: string;

beforeAll(async () => {
  store = openStore(await testDatabase());
  folder = await mkdtemp(join(tmpdir(), 'tilemark-exchange-'));
  site = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  server = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`;
});
afterAll(async () => {
  site.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const path = new URL(request.url ?? '', 'http://site').pathname;
  const [, kind, id = '', list] = /^\/api\/v1\/(\w+)\/([^/]+)(\/results)?/.exec(path) ?? [];
  if (path === '/api/v1/results/import') {
    const role = ROLES[request.headers.authorization ?? ''];
    if (!role) return { status: 401, body: { detail: 'Send a token.' } };
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const [head, ...results] = text.split('\n').map((line): unknown => JSON.parse(line));
    const file = benchFileSchema.parse({ ...(head as object), results });
    try {
      return { status: 201, body: await importResults({ store }, file, { name: 'test', role }) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { status: 400, body: { detail: error.message, field: error.field } };
    }
  }
  const { results, sweeps } = store;
  const body = await (list ? sweeps.results(id) : (kind === 'sweeps' ? sweeps : results).get(id));
  return body
    ? { status: 200, body }
    : { status: 404, body: { detail: 'There is no such result.' } };
}

const tilemark = (...args: string[]) => tilemarkWith({}, ...args);

function tilemarkWith(
  set: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    // A temporary folder of its own, and with it a machine lock of its own.
    const env = { ...process.env, TMPDIR: folder, ...set };
    execFile(process.execPath, [bundle.main, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

it('brings what bench wrote to a grid, gets it back unchanged, and measures it again', async () => {
  const file = join(folder, 'bench.json');
  const bench = ['--kernel', 'matmul/cpu-naive', '--shape', '33x17x9', '--policy', 'smoke'];
  expect((await tilemark('bench', ...bench, '--json', file)).code).toBe(0);
  const written = benchFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));

  const brought = await tilemark('import', file, '--server', server, '--token', TOKEN);
  expect(brought).toMatchObject({ code: 0, stderr: '' });
  const [, sweepId = ''] = /1 result is now sweep (\S+):/.exec(brought.stdout) ?? [];

  const { stdout } = await tilemark('export', sweepId, '--format', 'json', '--server', server);
  const exported = benchFileSchema.parse(JSON.parse(stdout));
  expect(exported.environment).toEqual(written.environment);
  expect(exported.results[0]?.outcome).toEqual(written.results[0]?.outcome);

  const resultId = exported.results[0]?.resultId ?? '';
  const again = await tilemark('rerun', resultId, '--server', server);
  expect(again.code).toBe(0);
  expect(again.stdout).toContain('matmul/cpu-naive, 33x17x9 f32, profile default');
  expect(again.stdout).toMatch(/median +range +CV/);
  expect(again.stdout).toMatch(/(FAST|SLOW|SAME|UNDECIDED): [\d.]+ times as fast as published/);
});

it('takes its token from the environment, where no command line shows it', async () => {
  const file = join(folder, 'by-environment.json');
  const bench = ['--kernel', 'matmul/cpu-naive', '--shape', '9', '--policy', 'smoke'];
  expect((await tilemark('bench', ...bench, '--json', file)).code).toBe(0);
  const sent = ['import', file, '--server', server] as const;
  expect(await tilemarkWith({ TILEMARK_TOKEN: TOKEN }, ...sent)).toMatchObject({ code: 0 });
  const unknown = await tilemarkWith({ TILEMARK_TOKEN: 'tm_member_y' }, ...sent);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Send a token.') });
});

// The tuner's final takes many seconds; a default alone is in no duel.
it('brings what tune wrote to a grid, whose best lookup then answers with the winner', {
  timeout: 240_000,
}, async () => {
  const file = join(folder, 'tuned.json');
  const problem = ['--op', 'transpose', '--shape', '64x32', '--dtype', 'f32'];
  const only = ['--tunable', 'BLOCK=16', '--tunable', 'DIRECTION=read-coalesced'];
  const search = ['--kernel', 'transpose/naive', ...only, '--budget', '1h'];
  expect((await tilemark('tune', ...problem, ...search, '--json', file)).code).toBe(0);
  const tuned = benchFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  const [winner] = tuned.results;
  if (winner?.outcome?.kind !== 'measured') throw new Error('the winner was measured');
  // As on a quiet machine: this one is shared, and noisy results are not ranked.
  const { measurement } = winner.outcome;
  const { medianNs } = measurement.cold;
  const step = (measurement.timer.tickNs || 1) / measurement.dispatchesPerSample;
  const samplesNs = Array.from(
    { length: 64 },
    (_, i) => Math.round((medianNs * (1 + (((37 * i) % 64) - 32) / 1e4)) / step) * step,
  );
  const verification = { ...measurement.verification, freshRatio: 1 };
  const quiet = { cold: summarise(samplesNs), stop: 'capped', verification };
  Object.assign(measurement, { ...quiet, unranked: null, roof: null });
  await writeFile(file, JSON.stringify(tuned));

  const brought = await tilemark('import', file, '--server', server, '--token', ADMIN_TOKEN);
  expect(brought).toMatchObject({ code: 0, stderr: '' });
  const asked = { op: 'transpose', rows: '64', cols: '32', device: winner.device.key };
  const [row] = await store.best(questionSchema.parse(asked));
  expect(row?.best).toMatchObject({
    basis: 'device',
    address: winner.address,
    quote: { source: 'measured', resultId: expect.any(String) },
  });
});

it('names a file of another kind, which no grid imports', async () => {
  const file = new URL('../../../../../docs/results/h200-2026-11-23.json', import.meta.url);
  const at = ['--server', server, '--token', TOKEN];
  const { code, stderr } = await tilemark('import', fileURLToPath(file), ...at);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: \S+: contains figures without samples [^\n]+\n$/);
});

it('imports files and folders, each file whole or not at all, and names those refused', async () => {
  const results = join(folder, 'results');
  await mkdir(join(results, 'older'), { recursive: true });
  const bench = ['--kernel', 'matmul/cpu-naive', '--shape', '9', '--policy', 'smoke'];
  const first = join(results, 'a.json');
  await tilemark('bench', ...bench, '--device', 'cpu', '--json', first);
  await copyFile(first, join(results, 'c.json'));
  await copyFile(first, join(results, 'older', 'd.json'));
  await writeFile(join(results, 'b.json'), '{"version":1}');
  await writeFile(join(results, 'notes.txt'), 'not a result');
  const at = ['--server', server, '--token', TOKEN];
  const { code, stdout, stderr } = await tilemark('import', results, first, ...at);
  expect(code).toBe(2);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/a\.json: 1 result is now sweep/),
    expect.stringMatching(/c\.json: The grid has these results already, in sweep/),
    expect.stringMatching(/older\/d\.json: The grid has these results already, in sweep/),
    expect.stringMatching(/a\.json: The grid has these results already, in sweep/),
    '4 of 5 files are on the grid.',
  ]);
  expect(stderr).toMatch(/^error: \S+b\.json: is not a file of [^\n]+\n$/);
  await mkdir(join(results, 'none'));
  const empty = await tilemark('import', join(results, 'none'), ...at);
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('no .json file') });
  // A token that is refused would be refused for every file.
  const refused = await tilemark('import', results, '--server', server, '--token', 'tm_member_y');
  expect(refused.stderr).toMatch(/^error: --token: Send a token\.\n$/);
});

it('says in one line what is wrong with a file, a token, an id or an address', async () => {
  const file = join(folder, 'other.json');
  await writeFile(file, '{"version":1}');
  const good = join(folder, 'good.json');
  const bench = ['--kernel', 'matmul/cpu-naive', '--shape', '9', '--policy', 'smoke'];
  await tilemark('bench', ...bench, '--device', 'cpu', '--json', good);
  const text = await readFile(good, 'utf8');
  const spoilt = async (name: string, from: RegExp, to: string) => {
    const path = join(folder, `${name}.json`);
    expect(text).toMatch(from);
    await writeFile(path, text.replace(from, to));
    return path;
  };
  const newer = await spoilt('newer', /"version": 1/, '"version": 2');
  const nan = await spoilt('nan', /"medianNs": [\d.]+/, '"medianNs": NaN');
  const none = await spoilt('null', /"medianNs": [\d.]+/, '"medianNs": null');
  const unknown = await spoilt('unknown', /"kernel": "matmul\/cpu-naive"/, '"kernel": "matmul/x"');
  const at = ['--server', server];
  const cases = [
    [['import', file, ...at, '--token', TOKEN], 2, /is not a file of `tilemark bench --json`/],
    [['import', newer, ...at, '--token', TOKEN], 2, /version 2 was written by a newer Tilemark/],
    [['import', nan, ...at, '--token', TOKEN], 2, /is broken JSON/],
    [['import', none, ...at, '--token', TOKEN], 2, /medianNs must be a number/],
    [['import', unknown, ...at, '--token', TOKEN], 2, /variant.kernel: .*matmul\/x/],
    [['import', join(folder, 'none'), ...at, '--token', TOKEN], 2, /there is no file '.*none'/],
    [['rerun', 'nope', ...at], 2, /There is no such result/],
    [['rerun', 'nope', '--server', 'localhost:3000'], 2, /not an http or https address/],
    [['rerun', 'nope', '--server', 'http://127.0.0.1:1'], 1, /cannot be reached/],
  ] as const;
  for (const [args, code, message] of cases) {
    const ended = await tilemark(...args);
    expect(ended.code).toBe(code);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.stderr).toMatch(message);
  }
});
