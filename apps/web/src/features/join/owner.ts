import { type FromOwner, ownDevice, type ToOwner } from '@tilemark/core';
import { admitKernel } from '@tilemark/core/contributed';
import { openBrowserGpu } from './browser-device';

/** The program of the Web Worker that owns the GPU: what goes wrong with it ends this and no tab. */
interface Scope {
  readonly name: string;
  postMessage(message: FromOwner): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<ToOwner>) => void): void;
  close(): void;
}
const scope = globalThis as unknown as Scope;

void ownDevice(() => openBrowserGpu(JSON.parse(scope.name)), {
  // Of the visitor alone: a tab that is lent takes none of others.
  admit: admitKernel,
  send: async (message) => scope.postMessage(message),
  listen: (take) => scope.addEventListener('message', ({ data }) => take(data)),
  nowNs: () => performance.now() * 1e6,
  end: () => scope.close(),
});
