import { deviceKey, type Worker } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DevicesTable } from './devices-table';

const identity = {
  ...{ vendor: 'acme', architecture: '', device: 'Acme 1', backend: 'vulkan', runtime: 'dawn' },
  class: 'gpu' as const,
};
const device = { key: deviceKey(identity), name: 'Acme 1', class: 'gpu' as const, identity };
const worker = (name: string, state: Worker['state']) => ({ name, state }) as Worker;

test('a device is served by workers that are there, not by one that was lost', () => {
  const workers = [worker('lab: Acme 1', 'idle'), worker('closed tab', 'lost')];
  const own = { isImportedOnly: false, lastSeenAt: '2026-11-27T10:00:00Z', pending: 0, results: 0 };
  const listed = { device, own, summary: undefined, workers };
  const text = renderToStaticMarkup(DevicesTable({ devices: [listed] }));
  expect(text).toContain('lab: Acme 1');
  expect(text).not.toContain('closed tab');
});
