import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../services.test-helper';
import type { DeviceIdentity } from '../../../measure/device';
import {
  attach,
  capabilities,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../fixtures.test-helper';
import type { Store } from '../store';
import { openStore } from '../store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

/** A browser on a GPU of this architecture, as it describes itself, or another device of it. */
const tab = (architecture: string, over: Partial<DeviceIdentity> = {}) =>
  store.workers.attach({
    name: 'tab',
    host: 'a browser',
    version: '0.1.0',
    identity: {
      vendor: 'Acme',
      architecture,
      device: `acme ${architecture}`.trim(),
      backend: 'webgpu',
      runtime: 'chrome',
      class: 'browser' as const,
      ...over,
    },
    capabilities,
  });

test('a variant measured natively and in a browser of the same GPU is a pair, from either side', async () => {
  const native = await attach(store, 'Anvil 1');
  const browser = await tab('anvil');
  const other = await tab('hammer');
  const silent = await tab('');
  const unnamed = await tab('', { device: 'Anvil 2', runtime: 'dawn', class: 'gpu' });
  const cpu = await attach(store, 'Host', 'w2', 'cpu');
  for (const [{ deviceKey, workerId }, ns, kernels] of [
    [native, 100, ['matmul/naive', 'matmul/tiled']],
    [browser, 125, ['matmul/naive', 'matmul/register-tile']],
    [other, 300, ['matmul/naive']],
    [silent, 300, ['matmul/naive']],
    [unnamed, 300, ['matmul/naive']],
    [cpu, 900, ['matmul/cpu-naive']],
  ] as const) {
    await recordAll(
      store,
      deviceKey,
      workerId,
      kernels.map((kernel) => [kernelRun(deviceKey, kernel), measured(1_000 * ns)]),
    );
  }
  const pair = {
    problem: square(64),
    profile: 'default',
    a: { address: 'matmul/naive', medianNs: 100_000, unranked: null },
    b: { address: 'matmul/naive', medianNs: 125_000 },
  };
  expect(await store.browserTax(browser.deviceKey)).toMatchObject([
    { ...pair, device: { name: 'Anvil 1', class: 'gpu' } },
  ]);
  expect(await store.browserTax(native.deviceKey)).toMatchObject([
    { ...pair, device: { name: 'acme anvil', class: 'browser' } },
  ]);
  for (const { deviceKey } of [other, silent, unnamed, cpu]) {
    expect(await store.browserTax(deviceKey)).toEqual([]);
  }
});
