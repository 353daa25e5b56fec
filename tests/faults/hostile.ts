import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { HttpLink, MAXIMA, PROTOCOL, PROTOCOL_HEADER } from '@tilemark/core';
import {
  capabilities,
  identity,
  measured,
  recorded,
} from '../../packages/core/src/server/store/fixtures.test-helper';
import type { FaultGrid } from './grid';
import { readable } from './readable';

/**
 * What a stranger, and one with a token, can send to stop a site; on loopback, and for a while. Each
 * attack repeats itself until `untilMs`, at most a few at once, and reports every status it was
 * answered with.
 */

/** How often each status was answered; `cut`: the connection ended first. */
export type Statuses = Record<string, number>;

export interface Siege {
  /** By attack or kind of read. */
  readonly answers: Readonly<Record<string, Statuses>>;
  /** Those that nobody may be kept from. */
  readonly honest: readonly string[];
  readonly health: { readonly asked: number; readonly p50Ms: number; readonly p99Ms: number };
  /** Of the site, the highest that was seen. */
  readonly residentBytes: number;
  /** Runs of the honest worker that were measured meanwhile. */
  readonly measured: number;
}

export interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Of this machine, beginning with 127. */
  readonly from?: string;
  /** Where the body is never finished: the connection is held for so long. */
  readonly holdMs?: number;
  /** A stream that never ends: the reader leaves when it has begun, or so long after, ms. */
  readonly leaves?: boolean | number;
  /** The reader leaves before the answer, ms after asking. */
  readonly leavesWithin?: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 300 });
const GIVE_UP_MS = 30_000;
/** An attack goes on so long for the status that it must end in. */
const MOST_BEYOND_MS = 120_000;

/** The status of the answer, read to its end. */
function send(url: string, sent: Sent): Promise<string> {
  const { body, from, headers, holdMs, leaves = false, leavesWithin, method = 'GET', path } = sent;
  return new Promise((resolve) => {
    const outgoing = request(
      new URL(path, url),
      { method, headers, agent, ...(from && { localAddress: from }) },
      (answer) => {
        answer.resume();
        answer.on('error', () => resolve('cut'));
        const leave = () => {
          resolve(String(answer.statusCode));
          // What is still to be sent would stay here.
          if (leaves || !outgoing.writableFinished) outgoing.destroy();
        };
        if (leaves) setTimeout(leave, leaves === true ? 0 : leaves);
        else answer.on('end', leave);
      },
    );
    outgoing.on('error', () => resolve('cut'));
    outgoing.setTimeout(GIVE_UP_MS, () => outgoing.destroy());
    if (leavesWithin !== undefined) setTimeout(() => outgoing.destroy(), leavesWithin).unref();
    if (holdMs === undefined) outgoing.end(body);
    else {
      outgoing.write(body ?? '');
      setTimeout(() => outgoing.destroy(), holdMs).unref();
    }
  });
}

export const JSON_TYPE = { 'content-type': 'application/json' };

/** An attack of so many at once, each again as soon as it is answered. */
export interface Attack {
  readonly name: string;
  readonly atOnce: number;
  /** Between an answer and the next time, ms; a little unless given. */
  readonly everyMs?: number;
  /** It is what somebody else does meanwhile: always answered as asked. */
  readonly isHonest?: boolean;
  /** The status that it goes on for beyond the others' time, on a slow machine. */
  readonly until?: string;
  /** The `at`-th time. */
  readonly next: (at: number) => Sent;
}

/** Lists in a list, of so many bytes. */
const lists = (bytes: number) => `[${'[],'.repeat(Math.floor(bytes / 3))}[]]`;

/** What one token sends; it has attached a worker that was given the run `runId`. */
async function ofToken(grid: FaultGrid): Promise<readonly Attack[]> {
  const { secret } = await grid.post<{ secret: string }>('/api/v1/tokens', {
    ...{ name: `hostile ${randomUUID()}`, role: 'admin' },
  });
  const link = new HttpLink({ server: new URL(grid.url), token: secret });
  const device = `Siege ${randomUUID()}`;
  const { workerId, deviceKey } = await link.attach({
    ...{ name: 'siege', host: 'siege', version: '1', capabilities, instance: randomUUID() },
    identity: identity(device),
  });
  await grid.post('/api/v1/sweeps', {
    name: 'siege',
    spec: {
      cases: [{ kernel: 'matmul/naive', shapes: [{ m: 64, n: 64, k: 64 }] }],
      devices: [deviceKey],
    },
  });
  const run = await link.next(new AbortController().signal);
  if (!run) throw new Error('The hostile worker was given no run.');
  const headers = {
    ...{ ...JSON_TYPE, authorization: `Bearer ${secret}` },
    [PROTOCOL_HEADER]: String(PROTOCOL),
  };
  const post = (path: string, body: string, isPacked = false): Sent => ({
    ...{ path: `/api/v1${path}`, method: 'POST' },
    headers: { ...headers, ...(isPacked && { 'content-encoding': 'gzip' }) },
    body: isPacked ? gzipSync(body) : Buffer.from(body),
  });
  const outcomePath = `/workers/${workerId}/runs/${run.id}/outcome`;
  const { runId: _r, workerId: _w, ...honest } = recorded(run.id, workerId, measured(1e6), device);
  const timed = (samplesNs: readonly number[]) => {
    const outcome = structuredClone(honest.outcome);
    if (outcome.kind !== 'measured') throw new TypeError('not measured');
    Object.assign(outcome.measurement.cold, { samplesNs, n: samplesNs.length });
    return JSON.stringify({ ...honest, outcome });
  };
  const alike = (samples: number) => timed([...Array<number>(samples - 1).fill(1e6), 1_000_001]);
  // Each depends on the one before, which takes the most passes to see.
  const rising = timed(Array.from({ length: MAXIMA.samples }, (_, at) => 1e6 + at));
  const text = 'a'.repeat(15e6);
  const series = [alike(100_000), alike(MAXIMA.samples), rising].map((body) =>
    post(outcomePath, body, true),
  );
  const unpacked = post(outcomePath, lists(16e6), true);
  const texts = [
    { kind: 'skipped', why: text },
    { kind: 'failed', stage: 'verify', message: text },
  ].map((outcome) => post(outcomePath, JSON.stringify({ ...honest, outcome }), true));
  const head = JSON.stringify({ version: 1, environment: honest.environment });
  const file = (results: string): Sent => {
    const { headers: json, ...sent } = post('/results/import', `${head}\n${results}`);
    return { ...sent, headers: { ...json, 'content-type': 'application/x-ndjson' } };
  };
  const imports = [lists(63e6), lists(2e6), lists(8e6)].map(file);
  const beat = post(
    `/workers/${workerId}/heartbeat`,
    JSON.stringify({
      state: 'running',
      runs: Array.from({ length: 10_000 }, () => randomUUID()),
    }),
  );
  const inTurn =
    (sent: readonly Sent[]) =>
    (at: number): Sent =>
      sent[at % sent.length] ?? beat;
  return [
    { name: 'samples alike, and rising', atOnce: 2, next: inTurn(series) },
    { name: 'lists in an import', atOnce: 1, next: inTurn(imports) },
    { name: '16 MB in 15 kB', atOnce: 4, next: () => unpacked },
    { name: 'texts of 15 MB', atOnce: 2, next: inTurn(texts) },
    { name: 'a heartbeat of 10,000 runs', atOnce: 1, next: () => beat },
  ];
}

const HELD_MS = 5_000;
const BLOCK = Buffer.alloc(4_000_000, 0x61);
const HELD_PATHS = ['/', '/sweeps', '/api/v1/sweeps', '/api/v1/best', '/login/token', '/_next/x'];

/** What four readers without a token ask, and bodies of 70 MB that never end. */
const ofStrangers = (reads: readonly string[]): readonly Attack[] => [
  {
    name: 'bodies of 70 MB, held',
    atOnce: 20,
    next: (at) => ({
      ...{ path: HELD_PATHS[at % HELD_PATHS.length] ?? '/', method: 'POST' },
      headers: { ...JSON_TYPE, 'content-length': '70000000' },
      ...{ body: BLOCK, holdMs: HELD_MS },
    }),
  },
  { name: 'pages of the API', atOnce: 2, next: (at) => ({ path: `/docs/api?z=${at}` }) },
  { name: 'other reads', atOnce: 2, next: (at) => ({ path: reads[at % reads.length] ?? '/' }) },
];

/** A little after each answer: a test of the site, not of how fast this machine can ask. */
const BETWEEN_MS = 20;

async function carryOut(
  url: string,
  { atOnce, everyMs = BETWEEN_MS, name, next, until }: Attack,
  untilMs: number,
  answers: Record<string, Statuses>,
): Promise<void> {
  const statuses: Statuses = {};
  answers[name] = statuses;
  let at = 0;
  const one = async () => {
    const isDue = () => until !== undefined && !statuses[until] && !statuses.cut;
    const last = untilMs + MOST_BEYOND_MS;
    while (performance.now() < (isDue() ? last : untilMs)) {
      const status = await send(url, next(at++));
      statuses[status] = (statuses[status] ?? 0) + 1;
      await sleep(everyMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** Carries out attacks at once, and watches the site meanwhile. */
export async function watched(
  grid: FaultGrid,
  forMs: number,
  attacks: readonly Attack[],
): Promise<Omit<Siege, 'measured'>> {
  const honest = attacks.filter(({ isHonest }) => isHonest).map(({ name }) => name);
  const untilMs = performance.now() + forMs;
  const answers: Record<string, Statuses> = {};
  const tookMs: number[] = [];
  const health: Statuses = {};
  let residentBytes = 0;
  const probe = async () => {
    while (performance.now() < untilMs) {
      const startMs = performance.now();
      const status = await send(grid.url, { path: '/api/v1/health' });
      tookMs.push(performance.now() - startMs);
      health[status] = (health[status] ?? 0) + 1;
      residentBytes = Math.max(residentBytes, await residentOf(grid.web.pid));
      await sleep(100);
    }
  };
  await Promise.all([
    probe(),
    ...attacks.map((attack) => carryOut(grid.url, attack, untilMs, answers)),
  ]);
  tookMs.sort((a, b) => a - b);
  const at = (part: number) => tookMs[Math.floor(part * (tookMs.length - 1))] ?? 0;
  return {
    answers: { ...answers, health },
    honest: ['health', ...honest],
    health: { asked: tookMs.length, p50Ms: at(0.5), p99Ms: at(0.99) },
    residentBytes,
  };
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1_024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

export const ended = async (grid: FaultGrid, sweepId: string) =>
  (await grid.json<{ counts: { measured: number } }>(`/api/v1/sweeps/${sweepId}`)).counts.measured;

/** Everything hostile of one token and four readers without one, while a worker measures. */
export async function besiege(grid: FaultGrid, forMs: number): Promise<Siege> {
  const honest = await grid.submit(64);
  const reads = [
    `/sweeps/${honest.id}`,
    '/operate',
    `/api/v1/sweeps/${honest.id}/results?format=csv`,
  ];
  const before = await ended(grid, honest.id);
  const seen = await watched(grid, forMs, [...(await ofToken(grid)), ...ofStrangers(reads)]);
  const runs = (await ended(grid, honest.id)) - before;
  await grid.post(`/api/v1/sweeps/${honest.id}/cancel`);
  return { ...seen, measured: runs };
}

/** Readers without a token, each with an address of its own, over everything that can be read. */
export async function readAll(grid: FaultGrid, forMs: number, readers = 100): Promise<Siege> {
  const honest = await grid.submit(64);
  const paths = await readable(grid, honest.id);
  const before = await ended(grid, honest.id);
  const attacks = Array.from({ length: readers }, (_, reader): Attack => {
    const from = `127.0.1.${reader + 1}`;
    return {
      ...{ name: `reader ${reader}`, atOnce: 1 },
      next: (at) => {
        const path = paths[(7 * reader + at) % paths.length] ?? '/';
        return { path, from, leaves: path.endsWith('/events') };
      },
    };
  });
  const { answers, ...seen } = await watched(grid, forMs, attacks);
  const { health = {}, ...ofReaders } = answers;
  const all: Statuses = {};
  for (const statuses of Object.values(ofReaders)) {
    for (const [status, count] of Object.entries(statuses))
      all[status] = (all[status] ?? 0) + count;
  }
  const runs = (await ended(grid, honest.id)) - before;
  await grid.post(`/api/v1/sweeps/${honest.id}/cancel`);
  return {
    ...seen,
    answers: { [`${readers} readers, ${paths.length} addresses`]: all, health },
    measured: runs,
  };
}

/** A table of what was seen. */
export function siegeText(title: string, seen: Siege): string {
  const { health, measured: runs, residentBytes } = seen;
  const rows = Object.entries(seen.answers).map(([name, statuses]) => {
    const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
    return `  ${name.padEnd(36)} ${counts.join(', ')}`;
  });
  return [
    title,
    ...rows,
    `  health p50 ${health.p50Ms.toFixed(0)} ms, p99 ${health.p99Ms.toFixed(0)} ms of ${health.asked}; the site at most ${(residentBytes / 1e6).toFixed(0)} MB; ${runs} honest runs measured`,
  ].join('\n');
}

/** What nobody waits longer for who asks whether the site is well. */
const P99_MS = 1_000;

/** Whether a site was too slow to say that it is well, in a line: of a machine that does nothing else. */
export const slownessOf = ({ health }: Siege): string[] =>
  health.p99Ms > P99_MS ? [`health took ${health.p99Ms.toFixed(0)} ms`] : [];

/** What a site does not do under a siege, however busy its machine is, one line each. */
export function faultsOf(seen: Siege): string[] {
  const { answers, honest } = seen;
  const failed = Object.entries(answers).flatMap(([name, statuses]) =>
    Object.keys(statuses).some((status) =>
      honest.includes(name) ? status !== '200' : status.startsWith('5'),
    )
      ? [`${name} were answered ${JSON.stringify(statuses)}`]
      : [],
  );
  return [
    ...failed,
    ...(seen.residentBytes > 1e9 ? [`the site took ${seen.residentBytes / 1e6} MB`] : []),
    ...(seen.measured > 0 ? [] : ['no honest run was measured']),
  ];
}
