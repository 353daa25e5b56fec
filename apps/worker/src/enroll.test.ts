import { createServer, type RequestListener, type Server } from 'node:http';
import { InputError } from '@tilemark/kernels';
import { afterEach, expect, it } from 'vitest';
import { environment } from '../../../packages/core/src/server/store/test-fixtures';
import { enroll, NotAdmitted, openSite } from './enroll';
import { VERSION } from './version';

let server: Server | undefined;
afterEach(() => server?.close());

const instance = '6f9619ff-8b86-4d01-b42d-00c04fc964ff';

const ask = async (address: string, token: string) => {
  const seen = environment('One');
  const { device: identity, capabilities } = seen;
  const described = { identity, capabilities, environment: seen, lastLevelCacheBytes: null };
  return enroll(openSite({ server: address, token }), described, { instance, number: 2 });
};

/** A site that answers as given; returns its address. */
async function site(answer: RequestListener): Promise<string> {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

it('says who it is, with the token, and is told where the services are', async () => {
  const enrolled = {
    workerId: 'w',
    deviceKey: 'd',
    databaseUrl: 'postgres://db',
    redisUrl: null,
    clockAheadMs: 0,
  };
  let body = '';
  const url = await site((request, response) => {
    const isRight =
      request.method === 'POST' &&
      request.url === '/grid/api/v1/workers/enroll' &&
      request.headers.authorization === 'Bearer tm_worker_x';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      response.writeHead(isRight ? 200 : 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(enrolled));
    });
  });
  expect(await ask(`${url}/grid`, 'tm_worker_x')).toEqual(enrolled);
  expect(JSON.parse(body)).toMatchObject({
    ...{ version: VERSION, instance, name: expect.stringMatching(/: One #2$/) },
    identity: { device: 'One' },
  });
});

it.each([401, 403])('is not admitted where the site answers %i, and says why', async (status) => {
  const url = await site((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status, detail: 'A member token may not do this.' }));
  });
  const failure = await ask(url, 'tm_member_x').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NotAdmitted);
  expect(failure).toMatchObject({ message: 'A member token may not do this.' });
});

it.each(['', 'tm_worker_x y', 'tm_worker_\nx', 'tm_worker_“x”'])(
  'sends no token that cannot be one: %j',
  async (token) => {
    let asked = 0;
    const url = await site((_request, response) => {
      asked++;
      response.end();
    });
    const failure = await ask(url, token).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotAdmitted);
    expect(failure).toMatchObject({ message: expect.stringMatching(/^This is no token/) });
    expect(asked).toBe(0);
  },
);

it('tells a refusal that stands from one that passes', async () => {
  let status = 409;
  const url = await site((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status, detail: 'Not this version.', field: 'version' }));
  });
  await expect(ask(url, 't')).rejects.toThrow(InputError);
  for (status of [429, 503]) await expect(ask(url, 't')).rejects.not.toThrow(InputError);
});

it('says that nobody answers, that something else answers, and that an address is none', async () => {
  const url = await site((_request, response) => {
    response.end('<html>');
  });
  await expect(ask(url, 't')).rejects.toThrow(/is this a Tilemark site/);
  await expect(ask('http://127.0.0.1:9', 't')).rejects.toThrow(/cannot be reached/);
  await expect(ask('grid.example', 't')).rejects.toThrow(InputError);
});
