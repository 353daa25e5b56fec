import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to bytes on their way. */
export type Network =
  | 'open'
  /** Connections are reset and new ones refused at once. */
  | 'cut'
  /** Nothing arrives any more and nobody is told, as behind a firewall that forgot: half-open. */
  | 'silent'
  /** 250 ms each way; every tenth packet comes 2 s later, as after a loss. */
  | 'slow';

export interface TcpProxy {
  readonly port: number;
  become(network: Network): void;
  close(): Promise<void>;
}

const ONE_WAY_MS = 250;
const RESEND_MS = 2_000;

/**
 * A TCP proxy before a service on loopback, with a network that can be made bad.
 *
 * @param on where it listens
 */
export async function startProxy(servicePort: number, on = '127.0.0.1'): Promise<TcpProxy> {
  let network: Network = 'open';
  let packets = 0;
  const open = new Set<Socket>();

  /** Carries bytes one way, in order. */
  const carry = (from: Socket, to: Socket) => {
    let before: Promise<unknown> = Promise.resolve();
    from.on('data', (bytes) => {
      if (network === 'silent') return;
      packets += 1;
      const delayMs = packets % 10 === 0 ? RESEND_MS : ONE_WAY_MS;
      const arrives = network === 'slow' ? sleep(delayMs) : Promise.resolve();
      before = Promise.all([before, arrives]).then(() => {
        if (!to.destroyed) to.write(bytes);
      });
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      open.delete(from);
      // A silent network does not tell that somebody hung up.
      if (network !== 'silent') void before.then(() => to.destroy());
    });
    open.add(from);
  };

  const server = createServer((client) => {
    if (network === 'cut') return void client.resetAndDestroy();
    const service = connect(servicePort, '127.0.0.1');
    carry(client, service);
    carry(service, client);
  });
  await new Promise<void>((resolve) => server.listen(0, on, resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The proxy has no port.');
  const hangUp = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: address.port,
    become(next) {
      // What a silent network swallowed does not come back: its connections are broken.
      if (next === 'cut' || network === 'silent') hangUp();
      network = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        hangUp();
      }),
  };
}
