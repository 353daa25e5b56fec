import { expect, test } from 'vitest';
import type { WantedState } from '../api/worker';
import { GridWorker } from './worker';

test('the log says who paused a worker: its own user, or an admin', async () => {
  const lines: string[] = [];
  const note = (_fields: object, message: string) => void lines.push(message);
  let wanted: WantedState = 'working';
  const attachment = { workerId: 'w', deviceKey: 'd', clockAheadMs: 0, rooflines: [], suites: [] };
  const { worker } = await GridWorker.attach({
    log: { debug: note, info: note, warn: note, error: note },
    runner: { open: async () => ({ identity: { class: 'gpu' } }), close: async () => {} },
    link: {
      attach: async () => attachment,
      heartbeat: async () => ({ wanted, lost: [] }),
      next: (signal: AbortSignal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
      detach: async () => {},
    },
    journal: { pending: async () => [] },
    describe: () => ({}),
  } as unknown as Parameters<typeof GridWorker.attach>[0]);
  const changes = () => lines.filter((line) => line.includes('has changed'));

  worker.pause(true);
  expect(changes()).toEqual(['its user has changed what this worker should do']);
  wanted = 'drained';
  worker.pause(false);
  await expect.poll(changes).toHaveLength(3);
  expect(changes().at(-1)).toBe('an admin has changed what this worker should do');
  await worker.stop();
});
