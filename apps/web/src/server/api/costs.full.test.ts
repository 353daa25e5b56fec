import type { Outcome, PolicyId } from '@tilemark/core';
import { readKernel } from '@tilemark/core/contributed';
import { handIn, handInSchema } from '@tilemark/core/server';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { kernelTemplate } from '../../../../../packages/core/src/contributed/template';
import {
  file,
  result,
  series,
} from '../../../../../packages/core/src/server/imports/bench-file.test-helper';
import {
  attach,
  failed,
  kernelRun,
  measured,
  recorded,
  square,
  sweepOf,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestCall, type TestGrid } from '../grid.test-helper';
import { operations } from '../operations.test-helper';

/**
 * Every operation is charged at least half of what it takes, by two rules: 1 ms per query and per 5 kB,
 * whatever the machine, and the CPU time beside that of a reference. Measured on two cores, answers take
 * what they are charged or up to twice as much.
 */
const BYTES_PER_MS = 5_000;
const RUNS = 150;

/** CPU time of the reference, ms, where costs were set: two cores, 2026-11-29. */
const REFERENCE_MS = 33;
/** Asked so often, each time for something new; the least of the times counts. */
const TIMES = 4;

const cpuMs = () => {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1e3;
};
/** JSON there and back: a step of the language and its library, as most of our work is. */
function referenceMs(): number {
  const times = Array.from({ length: 3 }, () => {
    const startMs = cpuMs();
    for (let at = 0; at < 20; at++) {
      JSON.parse(JSON.stringify(Array.from({ length: 5_000 }, (_, i) => ({ i, text: `v${i}` }))));
    }
    return cpuMs() - startMs;
  });
  return Math.min(...times);
}

/** Workers are served together; health is asked while the site is busy; no sweep here tunes shapes. */
const LEFT_OUT = ['health', 'listTunedShapes'];
const LINK = /^\/workers$|^\/workers\/\{id\}\/(next|heartbeat|runs|rooflines|detach)/;

/** What is refused here, once it was looked at: a check that has not passed, a worker of the grid's own. */
const REFUSED: Readonly<Record<string, number>> = { publishKernel: 400, revokeWorker: 409 };

/** What an operation takes most for, the `at`-th time. */
const MOST: Readonly<Record<string, (at: number) => TestCall | Promise<TestCall>>> = {
  getSweepResults: () => ({ query: '?format=csv' }),
  getBest: (at) => ({ query: `?m=${64 + at}&n=1024&k=4096&dtype=f16` }),
  getBestTable: (at) => ({
    query: `?gpu=apple,nvidia&shapes=${sizes(8, (i) => `${64 * (i + 1)}x1024x${4096 + at}`).join('+')}`,
  }),
  getKernel: async (at) => ({ params: { id: await longKernel() }, query: `?BLOCK=${at + 1}` }),
  contributeKernel: (at) => ({ body: kernelFile(at) }),
  publishKernel: async () => ({ params: { id: await longKernel() } }),
  removeKernel: async () => ({ params: { id: await longKernel() } }),
  createSweep: (at) => ({ body: sweepBody(`${at}`, 24) }),
  cancelSweep: async (at) => ({ params: { id: await sweepMade(`cancelled ${at}`) } }),
  retrySweep: async (at) => ({ params: { id: await sweepMade(`again ${at}`) } }),
  createTuning: (at) => ({
    body: {
      device: ids.key,
      problem: { op: 'matmul', dtype: 'f32', shape: { m: 64, n: 64, k: 64 + at } },
      budgetSeconds: 60,
    },
  }),
  importResults: (at) => ({ body: fileOf(at) }),
  createToken: () => ({ body: { name: 'new', role: 'worker' } }),
  trustToken: async () => ({ params: await tokenMade(), body: { trusted: true } }),
  ...Object.fromEntries(
    ['revokeWorker', 'drainWorker', 'pauseWorker', 'resumeWorker'].map((id) => [
      id,
      async (at: number) => ({
        params: { id: (await attach(grid.store, `${id} ${at}`)).workerId },
      }),
    ]),
  ),
  revokeToken: async () => ({ params: await tokenMade() }),
  createInvite: () => ({ body: { name: 'class', seats: 500, hours: 1 } }),
  redeemInvite: async () => ({ body: { invite: (await inviteMade()).secret } }),
  revokeInvite: async () => ({ params: await inviteMade() }),
  getClass: async () => ({ params: { id: (await classMade(10)).id } }),
  removeStudent: async () => ({ params: { id: (await classMade(1)).id, name: 'Student 0' } }),
  handIn: async (at) => ({ token: (await classMade(1, false)).token, body: await handInOf(at) }),
};

const sizes = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));
const tokenMade = () => grid.store.tokens.create({ name: 'x', role: 'worker', expiresAt: null });
/** A class whose students have each handed in for its problem. */
async function classMade(students: number, hasHandedIn = true) {
  const made = await grid.store.invites.create({
    ...{ name: 'class', seats: students, problems: [square(64)], by },
    expiresAt: new Date(Date.now() + 60_000),
  });
  let token = '';
  for (const [at, name] of sizes(students, (i) => `Student ${i}`).entries()) {
    ({ secret: token } = await grid.store.invites.redeem(made.secret, name));
    const student = await grid.store.tokens.verify(token);
    if (hasHandedIn && student) await handIn(grid, handInSchema.parse(await handInOf(at)), student);
  }
  return { id: made.id, token };
}
/** Of a battery of which nothing passed, each time another. */
async function handInOf(at: number) {
  const kernel = { source: kernelTemplate('handed-in') };
  const { kernel: read } = await readKernel({ ...kernel, author: 'you' });
  const found = (policy: PolicyId, side: number, outcome: Outcome) =>
    result({ variant: { kernel: read.id, tunables: {} }, policy, problem: square(side), outcome });
  const battery = sizes(60, (i) => found('smoke', 8 * (i + 1), failed));
  const own = found('screen', 64, measured(1e6 + at, { policy: 'screen' }));
  return { ...file([...battery, own]), kernel };
}
const by = { tokenId: 't', name: 'Ada', role: 'admin' } as const;
const inviteMade = () =>
  grid.store.invites.create({
    name: 'class',
    seats: 1,
    expiresAt: new Date(Date.now() + 60_000),
    by,
  });

/** As long as a source may be, and another one for each of its tunables. */
function kernelFile(at: number) {
  const template = kernelTemplate(`mine-${at}`);
  const body = 'a = a + 1u; '.repeat(20_000);
  const [, header = '{}'] = /\/\* tilemark([\s\S]*?)\*\//.exec(template) ?? [];
  return {
    source: `${template}\nconst _block = {{ B }};\nfn _pad() -> u32 { var a = 0u; ${body} return a; }`,
    manifest: JSON.stringify({
      ...JSON.parse(header),
      placeholders: { '{{ B }}': 'BLOCK' },
      tunables: { BLOCK: { values: [1, 2, 3, 4, 5, 6, 7, 8], about: 'Threads along each side' } },
    }),
  };
}
let kernels = 100;
const longKernel = async (): Promise<string> => {
  const author = { ...by, tokenId: `t${kernels}`, name: `Ada ${kernels}` };
  return (await grid.store.contributed.add(kernelFile(kernels++), author)).id;
};

/** A file of results that the grid does not have. */
const fileOf = (at: number) =>
  file(sizes(200, (i) => result({ problem: square(8 * (i + 1)), outcome: series(1e6 + at) })));

/** A sweep of so many times 128 runs. */
const sweepBody = (name: string, cases: number) => ({
  name,
  spec: {
    devices: [ids.key],
    cases: sizes(cases, (at) => ({
      kernel: 'matmul/tiled',
      tunables: { TILE: [4, 8] },
      shapes: sizes(64, (i) => ({ m: 16 + 8 * i, n: 64, k: 64 + 8 * at })),
    })),
  },
});
const sweepMade = async (name: string): Promise<string> => {
  const made = await call('POST /sweeps', { token, body: sweepBody(name, 1) });
  return (await made.json()).id;
};

let grid: TestGrid;
let token: string;
const ids: Record<string, string> = {};
let queries = 0;

beforeAll(async () => {
  grid = await openTestGrid();
  token = await grid.token('admin');
  const { store } = grid;
  const { workerId, deviceKey } = await attach(store);
  const runs = Array.from({ length: RUNS }, (_, at) =>
    kernelRun(deviceKey, 'matmul/naive', square(8 * (at + 1))),
  );
  const sweep = await sweepOf(store, runs);
  for (const runId of sweep.runIds) {
    await store.runs.record(recorded(runId, workerId, measured(1e6)));
  }
  const { items } = await store.sweeps.results(sweep.id);
  const invite = await inviteMade();
  Object.assign(ids, {
    ...{
      sweeps: sweep.id,
      results: items[0]?.resultId,
      invites: invite.id,
      kernels: 'matmul/tiled',
    },
    key: deviceKey,
  });
  const { query } = Client.prototype;
  const counted = function (this: Client, ...given: unknown[]) {
    queries += 1;
    return Reflect.apply(query, this, given);
  };
  vi.spyOn(Client.prototype, 'query').mockImplementation(counted as never);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await grid.close();
});

const charged = Object.values(operations).filter(
  ({ id, path }) => !LEFT_OUT.includes(id) && !(LINK.test(path) && id !== 'listWorkers'),
);

it.each(charged)('$name', async ({ id, name, path }) => {
  const usual = { key: ids.key ?? '', id: ids[path.split('/')[1] ?? ''] ?? '' };
  const before = referenceMs();
  const times: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < TIMES; at++) {
    const { params, ...most } = (await MOST[id]?.(at)) ?? {};
    const take = vi.spyOn(grid.reads, 'take');
    queries = 0;
    const startMs = cpuMs();
    const response = await call(name, { params: { ...usual, ...params }, token, ...most });
    // The stream ends with its first event: the sweep has ended.
    const text = await response.text();
    times.push(cpuMs() - startMs);
    expect([200, 201, 204, REFUSED[id]], text).toContain(response.status);
    const sum = take.mock.calls.reduce((all, [, ms]) => all + ms, 0);
    take.mockRestore();
    least = Math.min(least, sum);
    expect(2 * sum).toBeGreaterThanOrEqual(queries - 1 + text.length / BYTES_PER_MS);
  }
  const speed = REFERENCE_MS / Math.max(before, referenceMs());
  expect(2 * least).toBeGreaterThanOrEqual(speed * Math.min(...times));
});
