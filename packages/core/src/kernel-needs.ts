import { type Dtype, featuresOf, type GpuKernel, type TunableValues } from '@tilemark/kernels';
import type { KernelNeeds } from './api';

/** What a specialised kernel asks of a device, the features of its dtype included. */
export function kernelNeeds(kernel: GpuKernel, values: TunableValues, dtype: Dtype): KernelNeeds {
  const { workgroupBytes, workgroupSize } = kernel.needs(values, dtype);
  return {
    workgroupSize: [...workgroupSize],
    workgroupBytes,
    features: [...featuresOf(kernel, values, dtype)],
  };
}
