import { type Dtype, type GpuKernel, KERNELS, type Kernel, type Variant } from '@tilemark/kernels';

const kernelOf = (id: string): Kernel | undefined => KERNELS.find((each) => each.id === id);

/** Threads per workgroup; null for host kernels and kernels no longer in the registry. */
export function threadsOf({ kernel: id, tunables }: Variant, dtype: Dtype): number | null {
  const kernel = kernelOf(id);
  if (kernel?.runsOn !== 'gpu') return null;
  // A stored variant may lack a tunable declared later.
  return threads(kernel, { ...defaultsOf(kernel), ...tunables }, dtype);
}

/** The tunables that change the number of threads per workgroup: `BLOCK`, `TILE`, `BM`. */
export function sizeTunables(id: string): ReadonlySet<string> {
  const kernel = kernelOf(id);
  if (kernel?.runsOn !== 'gpu') return new Set();
  const [dtype = 'f32'] = kernel.dtypes;
  const defaults = defaultsOf(kernel);
  const usual = threads(kernel, defaults, dtype);
  return new Set(
    kernel.tunables
      .filter(({ name, values }) =>
        values.some((value) => threads(kernel, { ...defaults, [name]: value }, dtype) !== usual),
      )
      .map(({ name }) => name),
  );
}

const defaultsOf = (kernel: Kernel): Variant['tunables'] =>
  Object.fromEntries(kernel.tunables.map((tunable) => [tunable.name, tunable.default]));

const threads = (kernel: GpuKernel, values: Variant['tunables'], dtype: Dtype): number =>
  kernel.needs(values, dtype).workgroupSize.reduce((product, side) => product * side, 1);
