import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy that terminates TLS, with the headers of docs/operate.md. */
export interface TlsProxy {
  readonly url: string;
  /** File with its certificate, which is its own authority. */
  readonly cert: string;
  stop(): Promise<void>;
}

/**
 * Starts a proxy before the site at `target`, under a certificate that nobody trusts.
 *
 * @param address of this machine, under which it is reached
 */
export async function startTlsProxy(target: string, address?: string): Promise<TlsProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-proxy-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const certificate = [
    ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert],
    ...['-addext', `subjectAltName=${address ? `IP:${address}` : 'DNS:localhost'}`],
  ];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...certificate],
    { stdio: 'ignore' },
  );
  const tls = { key: await readFile(key), cert: await readFile(cert) };
  const server = createServer(tls, (incoming, outgoing) => {
    const { headers, method, socket, url } = incoming;
    // Who hung up before being passed on has no address, and reads no answer.
    if (!socket.remoteAddress) return void outgoing.destroy();
    const { host } = new URL(target);
    const forwarded = {
      'x-forwarded-host': headers.host,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': socket.remoteAddress.replace('::ffff:', ''),
    };
    const passed = request(
      new URL(url ?? '/', target),
      { method, headers: { ...headers, ...forwarded, host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `https://${address ?? 'localhost'}:${(server.address() as AddressInfo).port}`,
    cert,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
