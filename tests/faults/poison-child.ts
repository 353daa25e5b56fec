import { admitKernel } from '@tilemark/core/contributed';
import { globals } from 'webgpu';
import { childMain } from '../../apps/worker/src/child/child-main';
import { LOSE_DEVICE, registerPoison } from './poison-kernels';

/** Into a run of the policy `default`, which takes more than a second. */
const LOSE_AFTER_MS = 500;

registerPoison();

// Dawn tells of a device that was destroyed as of one whose driver was reset.
const { prototype: device }: { prototype: GPUDevice } = Reflect.get(globals, 'GPUDevice');
const createShaderModule = device.createShaderModule;
device.createShaderModule = function (this: GPUDevice, descriptor) {
  if (descriptor.code.includes(LOSE_DEVICE)) setTimeout(() => this.destroy(), LOSE_AFTER_MS);
  return createShaderModule.call(this, descriptor);
};

await childMain(new URL('./thread.mjs', import.meta.url), admitKernel);
