import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpLink } from '@tilemark/core';
import { capabilities, identity } from '../../packages/core/src/server/store/fixtures.test-helper';
import type { FaultGrid } from './grid';
import { until } from './until';

/**
 * Everything that can be read: what Next has a file for, every GET of openapi.json, and the files
 * that the site serves; with ids of the grid in the addresses. What is added later is found by
 * itself, or asks here for the id that it needs.
 */

const web = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'apps', 'web');

/** Pages that show something else with a query, and what must be asked for with one. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/': ['?dtype=f16', '?shape=65x64x64'],
  '/best': ['?op=matmul&m=512&n=512&k=512'],
  '/api/v1/best': ['?op=matmul&m=96&n=96&k=96&profile=default'],
};

/** Found in openapi.json instead. */
const API = '/api/[...path]';
/** What answers with a refusal, rightly: everything else has something to read. */
const REFUSALS: Readonly<Record<string, number>> = {
  '/nothing/here': 404,
  // A form's.
  '/logout': 405,
  // It needs a problem.
  '/api/v1/best': 400,
};

interface Described {
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema?: { readonly enum?: readonly string[] };
  }[];
}

interface Ids {
  readonly sweep: string;
  readonly tuning: string;
  readonly result: string;
  readonly device: string;
  readonly invite: string;
}

/** A sweep with results, a tuning that waits, a device and an invite. */
async function idsOf(grid: FaultGrid, sweep: string): Promise<Ids> {
  await grid.ended(sweep, 2);
  const { items } = await grid.json<{
    items: { resultId: string | null; device: { key: string } }[];
  }>(`/api/v1/sweeps/${sweep}/results`);
  const [first] = items.flatMap(({ device, resultId }) =>
    resultId === null ? [] : [{ resultId, device }],
  );
  if (!first) throw new Error('The sweep has no result.');
  const device = first.device.key;
  const tuning = await grid.post<{ id: string }>('/api/v1/tunings', {
    ...{ device: await attachGpu(grid), suite: 'transpose-shapes' },
  });
  const invite = await grid.post<{ id: string }>('/api/v1/invites', {
    name: 'read',
    seats: 1,
    hours: 1,
  });
  return {
    sweep,
    tuning: tuning.id,
    result: first.resultId,
    device,
    invite: invite.id,
  };
}

/** A GPU that takes no runs: its tuning waits. */
async function attachGpu(grid: FaultGrid): Promise<string> {
  const link = new HttpLink({ server: new URL(grid.url), token: grid.token });
  const { deviceKey } = await link.attach({
    ...{ name: 'idle', host: 'idle', version: '1', capabilities, instance: randomUUID() },
    identity: identity(`Idle ${randomUUID()}`),
  });
  return deviceKey;
}

/** Values of the parameters of a path, by the noun before them. */
const valuesOf = (ids: Ids): Readonly<Record<string, string>> => ({
  ...{ sweeps: ids.sweep, results: ids.result, short: ids.result },
  devices: encodeURIComponent(ids.device),
  ...{ invites: ids.invite, classes: ids.invite },
  kernels: 'matmul/cpu-naive',
  docs: 'measure',
});

/** Paths of Next's files for pages, routes and pictures. */
async function filePaths(): Promise<string[]> {
  const app = join(web, 'src', 'app');
  const files = await readdir(app, { recursive: true });
  return files.flatMap((file) => {
    const found = /^(.*?)\/?(page|route|opengraph-image|icon)\.(tsx?|svg)$/.exec(file);
    if (!found) return [];
    const [, folder = '', kind = '', type] = found;
    const isFile = kind === 'opengraph-image' || kind === 'icon';
    const name = isFile ? `/${kind}${type === 'svg' ? '.svg' : ''}` : '';
    return [`${folder && `/${folder}`}${name}` || '/'];
  });
}

/** Every address that can be read, once in each of its forms. */
export async function readable(grid: FaultGrid, sweep: string): Promise<string[]> {
  const ids = await idsOf(grid, sweep);
  const values = valuesOf(ids);
  const { paths } = await grid.json<{ paths: Record<string, { get?: Described }> }>(
    '/api/v1/openapi.json',
  );
  const withIds = (path: string): string =>
    path.replaceAll(/\/([\w-]+)\/(\{\w+\}|\[[\w.]+\])/g, (_, noun: string) => {
      const value = values[noun];
      if (value === undefined) throw new Error(`${path} needs an id of ${noun}: give one here.`);
      return `/${noun}/${value}`;
    });
  const api = Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const address = `/api/v1${path.replace(/^\/api\/v1/, '')}`;
    const forms = get.parameters?.find(({ name }) => name === 'format')?.schema?.enum ?? [];
    const others = forms.filter((form) => form !== 'json');
    return [address, ...others.map((form) => `${address}?format=${form}`)];
  });
  const pages = (await filePaths()).filter((path) => path !== API);
  const files = await readdir(join(web, 'public'), { withFileTypes: true });
  const addresses = [
    ...[...pages, ...api].flatMap((path) => [
      withIds(path),
      ...(QUERIES[path] ?? []).map((query) => withIds(path) + query),
    ]),
    `/sweeps/${ids.tuning}`,
    `/api/v1/sweeps/${sweep}/results?all=1`,
    ...files.flatMap((file) => (file.isFile() ? [`/${file.name}`] : [])),
    '/nothing/here',
  ];
  await requireAll(grid, addresses);
  return addresses;
}

/**
 * Throws where an address leads nowhere: what is refused early would cost nothing to read. Asks for one at
 * a time, and again where the site is too busy to answer.
 */
async function requireAll(grid: FaultGrid, addresses: readonly string[]): Promise<void> {
  const lost: string[] = [];
  for (const address of addresses) {
    const answer = await until(`an answer of ${address}`, async () => {
      const asked = await grid.fetch(address, { redirect: 'manual' });
      await asked.body?.cancel();
      return asked.status === 503 ? null : asked;
    });
    const isRight = REFUSALS[address] === answer.status || answer.status < 400;
    if (!isRight) lost.push(`${answer.status} ${address}`);
  }
  if (lost.length > 0) throw new Error(`These cannot be read:\n${lost.join('\n')}`);
}
