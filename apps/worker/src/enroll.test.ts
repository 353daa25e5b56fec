import { createServer, type RequestListener, type Server } from 'node:http';
import { InputError } from '@tilemark/kernels';
import { afterEach, expect, it } from 'vitest';
import { enroll } from './enroll';

let server: Server | undefined;
afterEach(() => server?.close());

/** A site that answers as given; returns its address. */
async function site(answer: RequestListener): Promise<string> {
  const listening = createServer(answer);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

it('asks with the token and is told where the services are', async () => {
  const url = await site((request, response) => {
    const isRight =
      request.method === 'POST' &&
      request.url === '/grid/api/v1/workers/enroll' &&
      request.headers.authorization === 'Bearer tm_worker_x';
    response.writeHead(isRight ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ databaseUrl: 'postgres://db', redisUrl: null }));
  });
  expect(await enroll(`${url}/grid`, 'tm_worker_x')).toEqual({
    databaseUrl: 'postgres://db',
    redisUrl: null,
  });
});

it('passes on why a token is refused', async () => {
  const url = await site((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ status: 403, detail: 'A member token may not do this.' }));
  });
  const failure = await enroll(url, 'tm_member_x').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InputError);
  expect(failure).toMatchObject({
    field: '--token',
    message: 'A member token may not do this.',
  });
});

it('says that nobody answers, that something else answers, and that an address is none', async () => {
  const url = await site((_request, response) => {
    response.end('<html>');
  });
  await expect(enroll(url, 't')).rejects.toThrow(/is this a Tilemark site/);
  await expect(enroll('http://127.0.0.1:9', 't')).rejects.toThrow(/cannot be reached/);
  await expect(enroll('grid.example', 't')).rejects.toThrow(InputError);
});
