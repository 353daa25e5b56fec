import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { chooseDevice, openDevice } from '../device/select';

it('frees what nothing holds when it is asked to', async () => {
  const device = await openDevice(await chooseDevice('auto'), 'default', new URL('none:'));
  const left = new WeakRef({});
  // Until its turn has ended, whatever a weak reference was made of is held.
  await setImmediate();
  await device.collectGarbage?.();
  expect(left.deref()).toBeUndefined();
  device.executor.destroy();
});
