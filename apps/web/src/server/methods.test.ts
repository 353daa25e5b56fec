import { createServer, METHODS, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { refuseMethod } from './methods';

it('refuses with 405 what no request can be made of, and nothing else', async () => {
  const site = createServer((incoming, outgoing) => {
    if (refuseMethod(incoming, outgoing)) return;
    new Request('http://grid.test/', { method: incoming.method ?? '' });
    outgoing.end();
  });
  await new Promise<void>((resolve) => {
    site.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  const { port } = site.address() as AddressInfo;
  const statusOf = (method: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ port, method }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
  // A CONNECT never becomes a request.
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  expect(methods).toContain('TRACE');
  for (const method of methods) {
    const isTaken = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method);
    expect([method, await statusOf(method)]).toEqual([method, isTaken ? 200 : 405]);
  }
});
