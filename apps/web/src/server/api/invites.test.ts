import type { Outcome, PolicyId } from '@tilemark/core';
import { kernelTemplate, readKernel } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  file as benchFile,
  result as benchResult,
} from '../../../../../packages/core/src/server/imports/bench-file.test-helper';
import {
  measured,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';

let grid: TestGrid;
let member: string;
beforeAll(async () => {
  grid = await openTestGrid();
  member = await grid.token('member', 'Grace');
});
afterAll(() => grid.close());

async function makeInvite(seats: number, token = member) {
  const body = { name: 'class', seats, hours: 1 };
  return (await call('POST /invites', { token, body })).json();
}
const redeem = (invite: string) => call('POST /invites/redeem', { body: { invite } });
const lastToken = async () => (await grid.store.tokens.list()).items[0]!;

it('lets in as many as it has seats, even at once, and says when it is used up', async () => {
  const { secret } = await makeInvite(3);
  const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(secret)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 403, 403]);
  const late = answers.find(({ status }) => status === 403);
  expect(await late?.text()).toContain('used up: it was for 3');
  const items = (await (await call('GET /invites', { token: member })).json()).items;
  expect(items[0]).toMatchObject({ name: 'class', seats: 3, used: 3, createdBy: 'Grace' });
});

it('counts attempts to guess one as attempts to log in, and lets the right one in', async () => {
  const { secret } = await makeInvite(2);
  Object.assign(grid.settings.limits, { logIn: 2 });
  try {
    const answers = [
      await redeem('no'),
      await redeem('no'),
      await redeem('no'),
      await redeem(secret),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 429, 200]);
  } finally {
    Object.assign(grid.settings.limits, { logIn: 0 });
  }
  expect((await redeem(secret)).status).toBe(200);
});

it('makes worker tokens that end with it', async () => {
  const { id, secret } = await makeInvite(2);
  const { secret: token, expiresAt } = await (await redeem(secret)).json();
  expect(await lastToken()).toMatchObject({ role: 'worker', name: 'class', expiresAt });
  expect(await grid.store.tokens.verify(token)).not.toBeNull();
  expect((await call('DELETE /invites/{id}', { params: { id }, token: member })).status).toBe(204);
  expect(await grid.store.tokens.verify(token)).toBeNull();
  expect((await (await redeem(secret)).json()).detail).toContain('revoked');
});

it('publishes what its visitors measured, and no machine’s token does', async () => {
  const { secret } = await makeInvite(1);
  const { secret: token } = await (await redeem(secret)).json();
  const at = new Date().toISOString();
  const body = benchFile([benchResult()]);
  const published = await call('POST /results/import', { body, token });
  expect(published.status, await published.clone().text()).toBe(201);
  const { id } = await published.json();
  const [result] = (await grid.store.sweeps.results(id)).items;
  expect(result?.imported).toMatchObject({ by: 'class' });
  expect(Date.parse(result?.imported?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(at));
  expect(result).toMatchObject({ tokenName: 'class', trusted: false });

  const refused = await call('POST /results/import', { body, token: await grid.token('worker') });
  expect(refused.status).toBe(403);
  expect((await refused.json()).detail).toContain('attaches a machine');
});

it('ends at its time, and is nothing without its secret', async () => {
  const { id, secret } = await makeInvite(2);
  await execute(grid.databaseUrl, `UPDATE "Invite" SET "expiresAt" = now() WHERE "id" = '${id}'`);
  expect((await (await redeem(secret)).json()).detail).toContain('expired');
  expect((await (await redeem(`${secret}x`)).json()).detail).toContain('not one of this grid');
});

const PROBLEMS = [square(64), square(128), { ...square(64), dtype: 'f16' as const }];
/** A class that asks for three products, and tokens of who join it. */
async function makeClass(...names: string[]) {
  const body = { name: 'GPU course', seats: names.length + 1, hours: 1, problems: PROBLEMS };
  const { id, secret } = await (await call('POST /invites', { token: member, body })).json();
  const join = (name: string) => call('POST /invites/redeem', { body: { invite: secret, name } });
  const tokens = [];
  for (const name of names) tokens.push((await (await join(name)).json()).secret);
  const asked = { params: { id }, token: member };
  return { join, tokens, asked };
}

it('names tokens after who joins, once per class, until that one is removed', async () => {
  const { asked, join, tokens } = await makeClass('Ada', 'Grace');
  expect(await lastToken()).toMatchObject({ name: 'Grace' });
  const taken = await join(' ADA');
  expect(taken.status).toBe(400);
  expect(await taken.json()).toMatchObject({
    field: 'name',
    detail: expect.stringContaining('Somebody called ADA has joined GPU course already'),
  });
  expect(await (await join('..')).json()).toMatchObject({ status: 400, field: 'name' });
  expect((await makeClass('Ada')).tokens).toEqual([expect.any(String)]);

  const remove = (name: string, token = member) =>
    call('DELETE /invites/{id}/students/{name}', {
      ...asked,
      params: { ...asked.params, name },
      token,
    });
  expect((await remove('Ada', await grid.token('member', 'Other'))).status).toBe(404);
  expect((await remove('Nobody')).status).toBe(404);
  expect((await remove('Ada')).status).toBe(204);
  expect(await grid.store.tokens.verify(tokens[0]!)).toBeNull();
  expect(await grid.store.tokens.verify(tokens[1]!)).not.toBeNull();
  const { students, used } = await (await call('GET /invites/{id}', asked)).json();
  expect(students.map(({ name }: { name: string }) => name)).toEqual(['Grace']);
  expect(used).toBe(1);
  expect((await join('Ada')).status).toBe(200);
});

/** What a tab found of a kernel that it calls `you/mine@…`: its battery, and the problems. */
async function foundOf(source: string, cases: [PolicyId, Problem, Outcome, kernel?: string][]) {
  const { kernel } = await readKernel({ source, author: 'you' });
  const results = cases.map(([policy, problem, outcome, other]) =>
    benchResult({
      variant: { kernel: other ?? kernel.id, tunables: {} },
      problem,
      policy,
      outcome,
    }),
  );
  return { ...benchFile(results), kernel: { source } };
}
const handIn = async (token: string | undefined, body: object) =>
  call('POST /invites/hand-in', { token, body });
const element = { row: 3, col: 4, got: 7, want: 8, bound: 0 };
const wrong: Outcome = { kind: 'incorrect', when: 'before', worst: element };
const screened = (medianNs: number) => measured(medianNs, { policy: 'screen' });

it('shows what each handed in last over their own naive, or which element is wrong', async () => {
  const { asked, tokens } = await makeClass('Ada', 'Grace', 'Barbara');
  const [ada, grace] = tokens;
  const [small, large] = PROBLEMS as [Problem, Problem];
  const first = kernelTemplate('first');
  const slow = await foundOf(first, [['screen', small, screened(2e6)]]);
  expect((await handIn(ada, slow)).status).toBe(201);
  const right = await foundOf(kernelTemplate('second'), [
    // Of the battery: what is passed over decides nothing.
    ['smoke', square(65), { kind: 'skipped', why: 'too large' }],
    ['screen', small, screened(1e6)],
    ['screen', small, screened(4e6), 'matmul/naive'],
  ]);
  expect((await handIn(ada, right)).status).toBe(201);
  const bad = await foundOf(first, [
    ['smoke', square(65), wrong],
    ['screen', large, screened(1e6)],
  ]);
  expect((await handIn(grace, bad)).status).toBe(201);

  const answer = await (await call('GET /invites/{id}', asked)).json();
  const [adas, graces, barbaras] = answer.students;
  expect(adas.handedIn).toEqual([
    expect.objectContaining({
      kernel: expect.stringMatching(/^ada-[0-9a-f]{6}\/second@[0-9a-f]{8}$/),
      finding: 'right',
      reason: null,
      medianNs: 1e6,
      overNaive: {
        ratio: 4,
        low: expect.closeTo(3.98, 1),
        high: expect.closeTo(4.02, 1),
      },
    }),
    null,
    null,
  ]);
  expect(graces.handedIn[1]).toMatchObject({
    kernel: expect.stringMatching(/^grace-/),
    finding: 'wrong',
    reason: '65: element [3, 4] is 7, should be 8 (before timing)',
    medianNs: null,
    overNaive: null,
  });
  expect(barbaras.handedIn).toEqual([null, null, null]);

  const file = await call('GET /invites/{id}', { ...asked, query: '?format=csv' });
  expect(file.headers.get('content-disposition')).toMatch(
    /filename="tilemark-gpu-course-\d{4}-\d\d-\d\d-\w{6}\.csv"/,
  );
  const lines = (await file.text()).trim().split('\r\n');
  expect(lines[0]?.split(',')).toHaveLength(10);
  expect(lines).toHaveLength(1 + 3 * PROBLEMS.length);
  expect(lines[1]).toMatch(/^Ada,matmul 64 f32,ada-\w+\/second@\w+,Bench box,right,1000000,4,3\.9/);
  expect(lines[5]).toContain('Grace,matmul 128 f32,');
  expect(lines[5]).toContain('"wrong: 65: element [3, 4] is 7, should be 8 (before timing)"');

  // On no board, and listed for nobody else.
  const board = await (await call('GET /leaderboard', { query: '?shape=64' })).json();
  expect(JSON.stringify(board)).not.toContain('second@');
  const { items } = await (await call('GET /kernels/contributed', { token: member })).json();
  expect(items).toEqual([]);
  const other = { ...asked, token: await grid.token('member', 'Other') };
  expect((await call('GET /invites/{id}', other)).status).toBe(404);
});

it('takes nothing that its class does not ask for, and no results of another kernel', async () => {
  const { tokens } = await makeClass('Ada');
  const source = kernelTemplate('third');
  const refusal = async (token: string | undefined, body: object) => {
    const answer = await handIn(token, body);
    const { detail, field } = await answer.json();
    return [answer.status, field, detail];
  };
  const fitting = await foundOf(source, [['screen', PROBLEMS[0]!, screened(1e6)]]);
  expect(await refusal(await grid.token('worker'), fitting)).toEqual([
    ...[403, undefined, expect.stringContaining('Only who joined a class')],
  ]);
  const elsewhere = await foundOf(source, [['screen', square(65), screened(1e6)]]);
  expect(await refusal(tokens[0], elsewhere)).toEqual([
    ...[400, 'results', expect.stringContaining('GPU course asks for')],
  ]);
  const another = { ...fitting, kernel: { source: kernelTemplate('fourth') } };
  expect(await refusal(tokens[0], another)).toEqual([
    ...[400, 'results[0].variant.kernel', expect.stringContaining('not of the kernel')],
  ]);
});

it('makes trusted tokens where its maker is trusted and says so', async () => {
  const make = (token: string, trusted?: boolean) =>
    call('POST /invites', { token, body: { name: 'class', seats: 1, hours: 1, trusted } });
  const joined = async (made: Response) => {
    await redeem((await made.json()).secret);
    return grid.store.tokens.isTrusted((await lastToken()).id);
  };
  expect(await joined(await make(member, true))).toBe(true);
  expect(await joined(await make(member))).toBe(false);
  const { id, secret } = await grid.store.tokens.create({
    ...{ name: 'Untrusted', role: 'member', expiresAt: null },
  });
  expect((await make(secret, true)).status).toBe(403);
  const trust = { params: { id }, token: await grid.token('admin'), body: { trusted: true } };
  expect((await call('POST /tokens/{id}/trust', trust)).status).toBe(204);
  expect((await make(secret, true)).status).toBe(201);
});
