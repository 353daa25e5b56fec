import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  file as benchFile,
  result as benchResult,
} from '../../../../../packages/core/src/server/imports/bench-file.test-helper';
import {
  capabilities,
  identity,
  planned,
  recorded,
  sweepOf,
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
const attach = (token: string, device: string, name = 'w') => {
  const worker = {
    version: '0',
    name,
    host: 'h',
    capabilities,
    instance: randomUUID(),
  };
  return grid.store.workers.attach({ ...worker, identity: identity(device), tokenId: token });
};
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

it('whoever made it gets what each who joined has measured, by name', async () => {
  const { id, secret } = await makeInvite(2);
  for (const name of ['Ada', 'Grace']) {
    await redeem(secret);
    const { id: tokenId } = await lastToken();
    const { deviceKey, workerId } = await attach(tokenId, 'Equal', `${name}: browser`);
    const { runIds } = await sweepOf(grid.store, [planned(deviceKey)], tokenId);
    const [run = ''] = runIds;
    await grid.store.runs.claim(run, workerId);
    await grid.store.runs.record(recorded(run, workerId, { kind: 'skipped', why: `on ${name}’s` }));
  }
  const asked = { params: { id }, token: member };
  const answer = await call('GET /invites/{id}/results', asked);
  expect(answer.headers.get('content-disposition')).toMatch(
    /filename="tilemark-class-\d{4}-\d\d-\d\d-\w{6}\.csv"/,
  );
  const [head = '', ...lines] = (await answer.text()).trim().split('\r\n');
  const cellOf = (line: string, name: string) => line.split(',')[head.split(',').indexOf(name)];
  expect(lines.map((line) => [cellOf(line, 'worker'), cellOf(line, 'detail')])).toEqual([
    ['Ada: browser', 'on Ada’s'],
    ['Grace: browser', 'on Grace’s'],
  ]);
  const other = await call('GET /invites/{id}/results', {
    params: { id },
    token: await grid.token('member', 'Other'),
  });
  expect(other.status).toBe(404);
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
