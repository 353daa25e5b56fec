import { type KernelDetail, kernelNeeds, kernelSchema } from '@tilemark/core';
import {
  brokenConstraints,
  type Dtype,
  fileOf,
  InputError,
  type Kernel,
  kernelById,
  parseTunableValue,
  resolveVariant,
  specialise,
  type TunableValues,
} from '@tilemark/kernels';

/**
 * A kernel specialised for what a query string asks: tunables by name, `dtype`
 * (default: the kernel's first). Throws InputError naming the field.
 */
export function kernelDetail(id: string, query: Readonly<Record<string, unknown>>): KernelDetail {
  const kernel = kernelById(id, 'id');
  const { dtype: requested = kernel.dtypes[0], ...rest } = query;
  const dtype = kernel.dtypes.find((each) => each === requested);
  if (!dtype) {
    throw new InputError(
      `${id} does not support ${String(requested)}. Its dtypes: ${kernel.dtypes.join(', ')}.`,
      'dtype',
    );
  }
  const tunables = Object.fromEntries(
    Object.entries(rest).map(([name, text]) => [
      name,
      parseTunableValue(
        kernel.tunables.find((tunable) => tunable.name === name),
        String(text),
      ),
    ]),
  );
  const { address, tunables: chosen } = resolveVariant(id, tunables);
  return {
    ...kernelSchema.parse(kernel),
    address,
    dtype,
    chosen,
    ...sourceOf(kernel, chosen, dtype),
    file: fileOf(id),
  };
}

/** Null both for host kernels and for values that make no sense together. */
function sourceOf(
  kernel: Kernel,
  chosen: TunableValues,
  dtype: Dtype,
): Pick<KernelDetail, 'broken' | 'needs' | 'wgsl'> {
  const broken = brokenConstraints(kernel, chosen);
  if (kernel.runsOn === 'cpu' || broken.length > 0) return { broken, needs: null, wgsl: null };
  return {
    broken,
    needs: kernelNeeds(kernel, chosen, dtype),
    wgsl: specialise(kernel, chosen, dtype),
  };
}
