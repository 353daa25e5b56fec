import { deviceKey, sweepEventSchema } from '@tilemark/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  capabilities,
  failed,
  identity,
  measured,
  recorded,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { handle } from './app';

let grid: TestGrid;
let token: string;
let workerId: string;
const key = deviceKey(identity('One'));

beforeAll(async () => {
  grid = await openTestGrid();
  token = await grid.token('member', 'Ada');
  ({ workerId } = await grid.store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0.0.0',
    identity: identity('One'),
    capabilities,
  }));
});
afterAll(() => grid.close());

const spec = (over: object = {}, top: object = {}) => ({
  name: 'a sweep',
  spec: {
    cases: [
      {
        kernel: 'matmul/tiled',
        tunables: { TILE: [4, 8] },
        shapes: [{ m: 64, n: 64, k: 64 }],
        ...over,
      },
    ],
    ...top,
  },
});
const post = (body: unknown, headers: Record<string, string> = {}) =>
  call('POST /sweeps', { token, body, headers });
const made = async () => ((await (await post(spec())).json()) as { id: string }).id;
const allRuns = Object.fromEntries(
  [
    'TILE',
    'UNROLL',
    'A_LAYOUT',
    'B_LAYOUT',
    'MAPPING',
    'INDEXING',
    'SIZING',
    'BOUNDS',
    'MULADD',
  ].map((name) => [
    name,
    {
      TILE: [1, 2, 4, 8, 16, 32],
      UNROLL: [1, 2, 3, 4, 8, 'full'],
      A_LAYOUT: ['row', 'col'],
      B_LAYOUT: ['row', 'col'],
      MAPPING: ['col-x', 'row-x'],
      INDEXING: ['recomputed', 'hoisted'],
      SIZING: ['const', 'override'],
      BOUNDS: ['and-not', 'or', 'none'],
      MULADD: ['mul-add', 'fma'],
    }[name],
  ]),
);
const manyShapes = Array.from({ length: 16 }, (_, i) => ({ m: 64 + i, n: 64, k: 64 }));

describe('a refused submission', () => {
  it.each([
    ['an unknown kernel', spec({ kernel: 'matmul/gone', tunables: {} }), 'cases[0].kernel'],
    ['an undeclared value', spec({ tunables: { TILE: [7] } }), 'cases[0].tunables.TILE'],
    ['an undeclared tunable', spec({ tunables: { TALE: [8] } }), 'cases[0].tunables.TALE'],
    ['a zero shape', spec({ shapes: [{ m: 0, n: 1, k: 1 }] }), 'spec.cases[0].shapes[0].m'],
    ['a negative shape', spec({ shapes: [{ m: -4, n: 1, k: 1 }] }), 'spec.cases[0].shapes[0].m'],
    ['a fractional shape', spec({ shapes: [{ m: 1, n: 0.5, k: 1 }] }), 'spec.cases[0].shapes[0].n'],
    [
      'a giant shape',
      spec({ shapes: [{ m: 1, n: 1, k: 16_777_217 }] }),
      'spec.cases[0].shapes[0].k',
    ],
    ['a shape of another op', spec({ shapes: [{ rows: 4, cols: 4 }] }), 'cases[0].shapes[0]'],
    [
      'a shape no device has memory for',
      spec({ shapes: [{ m: 65_536, n: 65_536, k: 1 }] }),
      'cases[0].shapes[0]',
    ],
    [
      'a dtype the kernel lacks',
      spec({ kernel: 'matmul/cpu-naive', tunables: {}, dtypes: ['f16'] }),
      'cases[0].dtypes[0]',
    ],
    ['an unknown dtype', spec({ dtypes: ['f64'] }), 'spec.cases[0].dtypes[0]'],
    ['too many runs', spec({ tunables: allRuns, shapes: manyShapes }), 'cases'],
    ['an unknown device', spec({}, { devices: ['nowhere'] }), 'devices[0]'],
    ['an unknown suite', { name: 'a', suite: 'gone' }, 'suite'],
    ['a parameter out of range', { name: 'a', suite: 'layouts', params: { n: -1 } }, 'params.n'],
    ['no name', { ...spec(), name: '' }, 'name'],
    ['a list', [], undefined],
    ['broken JSON', '{"name": ', 'body'],
    ['NUL in a name', { ...spec(), name: 'a\0b' }, 'name'],
    ['half a character', '{"name": "\\ud800", "suite": "layouts"}', 'name'],
    ['NUL in a key', { ...spec(), 'a\0b': 1 }, 'a\uFFFDb'],
    ['half a character in a key', '{"\\ud800": 1}', '\uFFFD'],
    ['a tunable called __proto__', spec({ tunables: { ['__proto__']: [1] } }), '__proto__'],
    [
      'a parameter called __proto__',
      '{"name": "a", "suite": "layouts", "params": {"__proto__": 1}}',
      '__proto__',
    ],
  ])('for %s names the field and enqueues nothing', async (_, body, field) => {
    const before = await grid.queued(key);
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const problem = await response.json();
    expect(problem.field).toBe(field);
    expect(problem.detail).not.toBe('');
    expect(await grid.queued(key)).toBe(before);
    expect((await grid.store.sweeps.list()).items).toEqual([]);
  });

  it('is 415 for another media type and 413 over 1 MB', async () => {
    expect((await post('a=b', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post({ ...spec(), padding: 'x'.repeat(1_000_001) })).status).toBe(413);
    expect((await grid.store.sweeps.list()).items).toEqual([]);
  });

  it('is 413 for a body that grows beyond what its header says', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(600_000));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(chunk);
        controller.enqueue(chunk);
        controller.close();
      },
    });
    const request = new Request('http://grid.test/api/v1/sweeps', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body,
      duplex: 'half',
    } as RequestInit);
    expect((await handle(request)).status).toBe(413);
  });

  it.each([
    ['without a token', undefined, 401],
    ['with an invalid token', 'tm_member_x', 401],
  ])('%s is %d', async (_, secret, status) => {
    const response = await call('POST /sweeps', { token: secret, body: spec() });
    expect(response.status).toBe(status);
    expect((await grid.store.sweeps.list()).items).toEqual([]);
  });

  it('with a worker token is 403', async () => {
    const response = await call('POST /sweeps', {
      token: await grid.token('worker'),
      body: spec(),
    });
    expect(response.status).toBe(403);
  });
});

describe('a sweep', () => {
  it('is made, queued, listed and read', async () => {
    const response = await post(spec());
    expect(response.status).toBe(201);
    const { id, counts } = await response.json();
    expect(counts).toMatchObject({ total: 2, pending: 2 });
    expect(await grid.queued(key)).toBe(2);
    expect((await (await call('GET /sweeps')).json()).items).toMatchObject([
      { id, createdBy: 'Ada' },
    ]);
    expect(await (await call('GET /sweeps/{id}', { params: { id } })).json()).toMatchObject({
      id,
      status: 'queued',
      suite: null,
    });
  });

  it('answers 304 while nothing has changed', async () => {
    const id = await made();
    const first = await call('GET /sweeps/{id}', { params: { id } });
    const etag = first.headers.get('etag') ?? '';
    const second = await call('GET /sweeps/{id}', {
      params: { id },
      headers: { 'if-none-match': etag },
    });
    expect(second.status).toBe(304);
  });

  it('is made once for one idempotency key', async () => {
    const headers = { 'idempotency-key': 'the same' };
    const ids = await Promise.all(
      [post(spec(), headers), post(spec(), headers)].map(
        async (response) => ((await (await response).json()) as { id: string }).id,
      ),
    );
    expect(ids[0]).toBe(ids[1]);
    const before = await grid.rows();
    const other = await post({ ...spec(), name: 'another' }, headers);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ field: 'Idempotency-Key' });
    expect(await grid.rows()).toEqual(before);
    // Of another token it is another key.
    const member = await grid.token('member', 'Ada');
    expect((await post(spec(), { ...headers, authorization: `Bearer ${member}` })).status).toBe(
      201,
    );
    expect((await post(spec(), { 'idempotency-key': 'k'.repeat(201) })).status).toBe(400);
  });

  it('is made from a suite with parameters', async () => {
    const response = await post({ name: 'Layouts', suite: 'layouts', params: { n: 64 } });
    expect(response.status).toBe(201);
    const { id } = await response.json();
    expect((await grid.store.sweeps.get(id))?.suite).toMatch(/^layouts@\d+$/);
  });

  it('is cancelled by its owner, not by another member of that name, and not twice over', async () => {
    const id = await made();
    const other = await grid.token('member', 'Ada');
    const by = (secret: string) =>
      call('POST /sweeps/{id}/cancel', { params: { id }, token: secret });
    expect((await by(other)).status).toBe(403);
    expect((await (await by(token)).json()).status).toBe('cancelled');
    const again = await call('POST /sweeps/{id}/retry', { params: { id }, token });
    expect(again.status).toBe(409);
  });

  it('retries what failed', async () => {
    const id = await made();
    const { items } = await grid.store.sweeps.results(id);
    for (const { runId } of items) {
      await grid.store.runs.claim(runId, workerId);
      await grid.store.runs.record(recorded(runId, workerId, failed));
    }
    expect((await grid.store.sweeps.get(id))?.status).toBe('done');
    const response = await call('POST /sweeps/{id}/retry', { params: { id }, token });
    expect(await response.json()).toEqual({ retried: 2 });
    expect((await grid.store.sweeps.get(id))?.counts.pending).toBe(2);
  });

  it('that does not exist is 404 everywhere', async () => {
    const params = { id: 'nothing' };
    const statuses = await Promise.all([
      call('GET /sweeps/{id}', { params }),
      call('GET /sweeps/{id}/results', { params }),
      call('GET /sweeps/{id}/events', { params }),
      call('POST /sweeps/{id}/cancel', { params, token }),
      call('POST /sweeps/{id}/retry', { params, token }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });
});

describe('results', () => {
  it('come as pages, as one JSON document and as CSV', async () => {
    const id = await made();
    const page = await (await call('GET /sweeps/{id}/results', { params: { id } })).json();
    expect(page).toMatchObject({ items: [{ outcome: null }, {}], nextCursor: null });

    const whole = await call('GET /sweeps/{id}/results', { query: '?all=1', params: { id } });
    expect(whole.headers.get('content-disposition')).toContain('.json');
    expect(await whole.json()).toEqual(page);

    const csv = await call('GET /sweeps/{id}/results', { query: '?format=csv', params: { id } });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    // A column per tunable and dimension, in a file that is called after the sweep and its day.
    expect(lines[0]).toMatch(/,variant,A_LAYOUT,.*,TILE,UNROLL,op,shape,b,m,n,k,dtype,/);
    expect(csv.headers.get('content-disposition')).toMatch(
      /filename="tilemark-[a-z0-9-]+-\d{4}-\d\d-\d\d-\w{6}\.csv"/,
    );
  });

  it.each(['abc', '99999999999', '1e300', '-2', '1.5', '%20', '%00'])(
    'refuse the cursor %s, which is not one',
    async (cursor) => {
      const id = await made();
      const response = await call('GET /sweeps/{id}/results', {
        query: `?cursor=${cursor}`,
        params: { id },
      });
      expect(response.status).toBe(400);
      expect((await response.json()).field).toBe('cursor');
    },
  );

  it('refuse an unknown format', async () => {
    const id = await made();
    const response = await call('GET /sweeps/{id}/results', {
      query: '?format=xml',
      params: { id },
    });
    expect(response.status).toBe(400);
    expect((await response.json()).field).toBe('format');
  });
});

describe('events', () => {
  it('tell the state at once, then each result, and end with the sweep', async () => {
    const id = await made();
    const response = await call('GET /sweeps/{id}/events', { params: { id } });
    const { items } = await grid.store.sweeps.results(id);
    for (const { runId } of items) {
      await grid.store.runs.claim(runId, workerId);
      await grid.store.runs.record(recorded(runId, workerId, measured(1_000)));
    }
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    const told = lines.map((line) => sweepEventSchema.parse(JSON.parse(line.slice(6))));
    expect(told.at(-1)).toMatchObject({ status: 'done', counts: { measured: 2, pending: 0 } });
    expect(new Set(told.flatMap((event) => event.results.map((each) => each.runId)))).toEqual(
      new Set(items.map((each) => each.runId)),
    );
  });

  it('go on after a cancel, until the run that had begun has ended', async () => {
    const id = await made();
    const [first] = (await grid.store.sweeps.results(id)).items;
    await grid.store.runs.claim(first!.runId, workerId);
    await grid.store.sweeps.cancel(id);
    const response = await call('GET /sweeps/{id}/events', { params: { id } });
    let text = '';
    for await (const chunk of response.body!) {
      const isFirst = !text.includes('data: ');
      text += new TextDecoder().decode(chunk);
      if (!isFirst || !text.includes('data: ')) continue;
      await grid.store.runs.record(recorded(first!.runId, workerId, measured(1_000)));
    }
    const lines = text.split('\n').filter((line) => line.startsWith('data: '));
    const told = lines.map((line) => sweepEventSchema.parse(JSON.parse(line.slice(6))));
    expect(told.at(-1)).toMatchObject({ status: 'cancelled', counts: { measured: 1, pending: 0 } });
  });

  it('stop being watched when the reader leaves', async () => {
    const id = await made();
    const leaving = new AbortController();
    const url = `http://grid.test/api/v1/sweeps/${id}/events`;
    const response = await handle(new Request(url, { signal: leaving.signal }));
    leaving.abort();
    // The body ends: nothing goes on writing to it.
    expect(await response.text()).not.toContain('error');
  });
});
