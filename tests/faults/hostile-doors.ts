import { randomUUID } from 'node:crypto';
import { PROTOCOL, PROTOCOL_HEADER } from '@tilemark/core';
import { kernelTemplate } from '../../packages/core/src/contributed/template';
import { capabilities, identity } from '../../packages/core/src/server/store/fixtures.test-helper';
import type { FaultGrid } from './grid';
import { type Attack, ended, JSON_TYPE, type Sent, type Siege, watched } from './hostile';

/**
 * What members, students and strangers can do together to keep others out: bodies that stay open,
 * kernels that cost to read, tables that nobody waits for, devices that do not exist, streams, and
 * guesses at tokens. An admin, a classmate and a worker go on meanwhile.
 */

const times = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const post = (token: string, path: string, body: object): Sent => ({
  ...{ path: `/api/v1${path}`, method: 'POST', body: JSON.stringify(body) },
  headers: { ...JSON_TYPE, ...bearer(token), [PROTOCOL_HEADER]: String(PROTOCOL) },
});
async function asked<T>(grid: FaultGrid, sent: Sent): Promise<T> {
  const { body, headers, method, path } = sent;
  const response = await fetch(`${grid.url}${path}`, {
    ...{ method: method ?? 'GET', headers: headers ?? {} },
    ...(body !== undefined && { body: String(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Seats of a new invite of a member. */
async function seatsOf(grid: FaultGrid, member: string, count: number): Promise<string[]> {
  const invite = post(member, '/invites', { name: 'class', seats: count, hours: 1 });
  const { secret } = await asked<{ secret: string }>(grid, invite);
  const seats: string[] = [];
  while (seats.length < count) {
    const redeem = post(member, '/invites/redeem', { invite: secret });
    seats.push((await asked<{ secret: string }>(grid, redeem)).secret);
  }
  return seats;
}

const HELD_MS = 20_000;
const HELD_PATHS = ['/sweeps', '/kernels', '/results/import'];

/** A few bodies of one token, begun and never ended. */
const heldBodies = (token: string): Attack => ({
  name: 'open bodies of a token',
  atOnce: 8,
  next: (at) => {
    const path = HELD_PATHS[at % HELD_PATHS.length] ?? '';
    const sent = post(token, path, {});
    const type = path === '/results/import' ? 'application/x-ndjson' : 'application/json';
    return {
      ...{ ...sent, body: Buffer.alloc(900_000, 0x20), holdMs: HELD_MS },
      headers: { ...sent.headers, 'content-type': type },
    };
  },
});

/** Kernel with a chain of constants, each of which names the last one twice; a new block size is a new reading. */
function chained(name: string, constants: number) {
  const template = kernelTemplate(name);
  const [, header = '{}'] = /\/\* tilemark([\s\S]*?)\*\//.exec(template) ?? [];
  const chain = times(constants, (at) => `const C${at + 1} = (C${at} + C${at}) / 2;`).join('\n');
  return {
    source: `${template}\nconst _block = {{ B }};\nconst C0 = 1;\n${chain}`,
    manifest: JSON.stringify({
      ...JSON.parse(header),
      placeholders: { '{{ B }}': 'BLOCK' },
      tunables: {
        BLOCK: { values: times(64, (at) => at + 1), about: 'Threads along each side' },
      },
    }),
  };
}

async function chainedSearches(grid: FaultGrid, member: string): Promise<readonly Attack[]> {
  const { id } = await asked<{ id: string }>(
    grid,
    post(member, '/kernels', chained(`chain-${randomUUID().slice(0, 8)}`, 24)),
  );
  const [device] = await grid.deviceKeys();
  const problem = { op: 'matmul', dtype: 'f32', shape: { m: 64, n: 64, k: 64 } };
  const reads = encodeURIComponent(id).replace('%2F', '/');
  const headers = bearer(member);
  return [
    {
      name: 'kernels of chained constants',
      atOnce: 2,
      next: (at) => post(member, '/kernels', chained('chain', 24 + (at % 5_000))),
    },
    {
      name: 'a chained kernel, read and searched',
      atOnce: 4,
      next: (at) =>
        at % 2 === 0
          ? post(member, '/tunings', { device, problem, kernel: id, budgetSeconds: 60 })
          : { path: `/api/v1/kernels/${reads}?BLOCK=${1 + (at % 64)}`, headers },
    },
  ];
}

/** Tables as large as they may be, whose reader leaves at once; strangers', and a student's. */
const tables = (student: string): readonly Attack[] => {
  const path = (at: number) => {
    const shapes = times(16, (i) => `${i + 1}x${64 + (at % 4_000)}x1024`).join('+');
    return `/api/v1/best/table?shapes=${shapes}&gpu=apple,amd,intel,nvidia,qualcomm,arm`;
  };
  return [
    {
      name: 'tables of strangers who leave',
      atOnce: 8,
      next: (at) => ({ path: path(at), from: `127.0.3.${1 + (at % 8)}`, leavesWithin: 100 }),
    },
    {
      name: 'tables of a student',
      atOnce: 8,
      next: (at) => ({ path: path(at), headers: bearer(student) }),
    },
  ];
};

const attached = (token: string, device: string): Sent =>
  post(token, '/workers', {
    ...{ name: 'inventive', host: 'class', version: '1', capabilities, instance: randomUUID() },
    ...{ identity: identity(device), at: new Date().toISOString() },
  });

const STREAMS = 320;
const STAY_MS = 10_000;

/** Everything of this page at once, while a worker measures. */
export async function besiegeDoors(grid: FaultGrid, forMs: number): Promise<Siege> {
  const { secret: member } = await grid.post<{ secret: string }>('/api/v1/tokens', {
    ...{ name: `Ada ${randomUUID()}`, role: 'member' },
  });
  const [student = '', classmate = ''] = await seatsOf(grid, member, 2);
  const greedy = await seatsOf(grid, member, 16);
  const honest = await grid.submit(64);
  const events = `/api/v1/sweeps/${honest.id}/events`;
  const before = await ended(grid, honest.id);
  const attacks: readonly Attack[] = [
    heldBodies(member),
    ...(await chainedSearches(grid, member)),
    ...tables(student),
    {
      name: 'invented devices of a seat',
      ...{ atOnce: 1, everyMs: 200, until: '429' },
      next: () => attached(student, `Invented ${randomUUID()}`),
    },
    {
      name: 'invented devices of an invite',
      ...{ atOnce: 1, everyMs: 200, until: '429' },
      next: (at) => attached(greedy[at % greedy.length] ?? '', `Invented ${randomUUID()}`),
    },
    {
      name: 'a classmate’s devices',
      ...{ atOnce: 1, everyMs: 10_000, isHonest: true },
      next: (at) => attached(classmate, `Of a classmate ${honest.id} ${at % 6}`),
    },
    {
      name: `${STREAMS} streams of strangers`,
      atOnce: STREAMS,
      everyMs: 500,
      next: (at) => ({ path: events, from: `127.0.4.${1 + (at % 10)}`, leaves: STAY_MS }),
    },
    {
      name: 'a stream of an admin',
      ...{ atOnce: 1, everyMs: 2_000, isHonest: true },
      next: () => ({ path: events, headers: bearer(grid.token), leaves: true }),
    },
    {
      name: 'guesses at tokens, in chunks',
      atOnce: 4,
      next: () => ({
        ...{ path: '/login/token', method: 'POST', from: '127.0.5.1' },
        body: `token=tm_admin_${randomUUID().replaceAll('-', '')}`,
        headers: {
          ...{ 'content-type': 'application/x-www-form-urlencoded' },
          ...{ 'transfer-encoding': 'chunked', 'sec-fetch-site': 'same-origin' },
        },
      }),
    },
  ];
  const seen = await watched(grid, forMs, attacks);
  const measured = (await ended(grid, honest.id)) - before;
  await grid.post(`/api/v1/sweeps/${honest.id}/cancel`);
  return { ...seen, measured };
}
