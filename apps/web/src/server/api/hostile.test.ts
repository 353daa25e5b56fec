import { deviceKey, problemDetailsSchema, SUITES } from '@tilemark/core';
import { KERNELS } from '@tilemark/kernels';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  capabilities,
  environment,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestCall, type TestGrid } from '../grid.test-helper';
import { v1 } from './app';
import { openApi } from './document';
import { damaged, hostile, type JsonSchema, type Known, valid } from './json.test-helper';

/**
 * Every operation of openapi.json, attacked: a new one is attacked from its first day.
 * The same values each time; `TILEMARK_FUZZ=500` takes 500 new ones for each property.
 */
const FUZZ = Number(process.env.TILEMARK_FUZZ ?? 0);
const runs = (usual: number): fc.Parameters<unknown> =>
  FUZZ > 0 ? { numRuns: FUZZ } : { numRuns: usual, seed: 20_261_121 };

interface Described {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { name: string; in: string; schema: JsonSchema }[];
  readonly body: JsonSchema | null;
  readonly statuses: ReadonlySet<number>;
}

const described: Described[] = Object.entries(
  JSON.parse(JSON.stringify(openApi(v1, '1'))).paths,
).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OpenApiOperation>).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: operation.parameters ?? [],
    body: Object.values(operation.requestBody?.content ?? {})[0]?.schema ?? null,
    // The services are up here, so nothing excuses a 503.
    statuses: new Set(
      Object.keys(operation.responses)
        .map(Number)
        .filter((status) => status !== 503),
    ),
  })),
);
interface OpenApiOperation {
  readonly parameters?: Described['parameters'];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}
const withBody = described.filter(({ body }) => body !== null);

let grid: TestGrid;
let admin: string;
const key = deviceKey(identity('One'));
const known: Known = {
  kernel: KERNELS.map((kernel) => kernel.id),
  suite: SUITES.map((suite) => suite.id),
  environment: [environment('One')],
  // Of a result; and by its key.
  device: [{ key, name: 'One', class: 'gpu' }, key],
  devices: [[key]],
};

beforeAll(async () => {
  grid = await openTestGrid();
  // Nothing here is sent by who would have to wait.
  vi.spyOn(grid.reads, 'checkRefusals').mockResolvedValue();
  admin = await grid.token('admin');
  await grid.store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: identity('One'),
    capabilities,
  });
});
afterAll(() => grid.close());

/** What an answer must never contain: a stack, a path of ours, SQL, where a service is. */
const INSIDE =
  /\n\s+at |node_modules|\.tsx?:\d|Prisma|SELECT |INSERT |postgres(ql)?:\/\/|redis:\/\//;

/** Calls the operation and checks what every answer must be; its status. */
async function attack({ method, name, path, statuses }: Described, given: TestCall) {
  const id = path.startsWith('/kernels/') ? 'matmul/tiled' : key;
  if (method !== 'GET') kept ??= await everything();
  const response = await call(name, { token: admin, params: { id, key: id, run: id }, ...given });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  expect([...statuses], `${name} answered ${response.status}: ${text}`).toContain(response.status);
  if (response.status >= 400) {
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const problem = problemDetailsSchema.parse(JSON.parse(text));
    expect(problem.status).toBe(response.status);
    expect(text).not.toMatch(INSIDE);
    if (kept) expect(await everything(), name).toEqual(kept);
  } else {
    kept = null;
  }
  return response.status;
}

/** As counted after the last request, until one is accepted. */
let kept: Awaited<ReturnType<typeof everything>> | null = null;

/** What a refused request leaves alone: every table and the queue. */
const everything = async () => ({ ...(await grid.rows()), queued: await grid.queued(key) });

describe.each(withBody)('$name', (operation) => {
  const bodies = valid(operation.body ?? {}, known);

  it('answers as documented to bodies that its schema accepts', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await attack(operation, { body });
      }),
      runs(30),
    );
  });

  it('refuses bodies with a damaged part, or takes them whole', async () => {
    await fc.assert(
      fc.asyncProperty(damaged(bodies), async (body) => {
        await attack(operation, { body });
      }),
      runs(50),
    );
  });

  it('refuses a body of another type', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (body) => {
        expect(await attack(operation, { body: JSON.stringify(body) })).toBe(400);
      }),
      runs(30),
    );
  });

  it.each([
    ['an endless number', '{"name":1e999}', 400],
    ['a number of 400 digits', `{"name":${'9'.repeat(400)}}`, 400],
    ['a name twice', '{"name":"a","name":1}', 400],
    ['`__proto__`', '{"name":"a","__proto__":{"role":"admin"}}', 400],
    ['lists 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000), 400],
    ['objects 50,000 deep', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 400],
    ['half a body', '{"name":"a', 400],
    ['nothing', '', 400],
    ['a byte order mark', '\uFEFF{}', 400],
    ['NUL', '\0', 400],
    ['65 MB', `{"name":"${'a'.repeat(65e6)}"}`, 413],
  ])('refuses %s', async (_what, body, status) => {
    expect(await attack(operation, { body })).toBe(status);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '', 'é;é'])(
    'refuses the media type "%s"',
    async (type) => {
      expect(await attack(operation, { body: '{}', headers: { 'content-type': type } })).toBe(415);
    },
  );
});

it.each(withBody)(
  '$name stops reading a body of 65 MB that says it is small',
  async (operation) => {
    const headers = { 'content-length': '2' };
    expect(await attack(operation, { body: 'a'.repeat(65e6), headers })).toBe(413);
  },
);

describe.each(described)('$name', (operation) => {
  const queries = fc.dictionary(
    fc.oneof(
      fc.constantFrom('cursor', ...operation.parameters.map(({ name }) => name)),
      fc.string({ unit: 'binary' }),
    ),
    fc.oneof(
      hostile.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
      fc.string({ unit: 'binary', maxLength: 600 }),
    ),
    { maxKeys: 4 },
  );
  const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

  it('answers as documented to any query', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const search = Object.entries(query).map((pair) => pair.map(encoded).join('='));
        await attack(operation, { query: `?${search.join('&')}` });
      }),
      runs(30),
    );
  });

  it('answers as documented to any header', async () => {
    const text = fc.string({
      unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: 80,
    });
    const headers = fc.dictionary(
      fc.constantFrom(
        ...['authorization', 'cookie', 'content-type', 'content-length', 'origin', 'host'],
        ...['if-none-match', 'idempotency-key', 'accept', 'range', 'last-event-id'],
        ...['sec-fetch-site', 'x-forwarded-host', 'x-forwarded-for', 'x-http-method-override'],
      ),
      fc.oneof(
        text,
        text.map((value) => `Bearer ${value}`),
        text.map((value) => `tilemark-session=${value}`),
      ),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(headers, async (given) => {
        await attack(operation, { token: undefined, headers: given });
      }),
      runs(26),
    );
  });
});

describe.each(described.filter(({ path }) => path.includes('{')))('$name', (operation) => {
  it('answers as documented to any id', async () => {
    const ids = fc.oneof(hostile.map(String), fc.string({ unit: 'binary' }));
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        await attack(operation, { params: { id, key: id, run: id } });
      }),
      runs(30),
    );
  });
});

/** Faults that the properties found, each by itself. */
describe('mended', () => {
  const operation = (name: string) => described.find((each) => each.name === name)!;

  it.each(['0000-01-01T00:00:00Z', '2020-01-01T00:00:00Z'])(
    'a token that is over at %s is not made',
    async (expiresAt) => {
      const body = { name: 'a', role: 'member', expiresAt };
      expect(await attack(operation('POST /tokens'), { body })).toBe(400);
    },
  );

  it('a result of the year 0 is refused: Postgres has no such year', async () => {
    const outcome = { kind: 'skipped', why: 'it was early' };
    const variant = { kernel: 'matmul/naive', tunables: {} };
    const problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
    const result = { runId: 'a', resultId: null, variant, address: '', problem, outcome };
    const where = {
      device: { key, name: 'One', class: 'gpu' },
      profile: 'default',
      policy: 'smoke',
    };
    const file = (endedAt: string) => ({
      version: 1,
      environment: environment('One'),
      results: [{ ...result, ...where, endedAt, rate: null }],
    });
    const post = (body: unknown) => attack(operation('POST /results/import'), { body });
    expect(await post(file('0000-01-01T00:00:00Z'))).toBe(400);
    expect(await post(file('2026-11-21T00:00:00Z'))).toBe(201);
  });

  it('health is open to everyone, even with an invalid token', async () => {
    expect(await attack(operation('GET /health'), { token: 'tm_admin_gone' })).toBe(200);
  });
});
