import {
  bytesText,
  InputError,
  type Kernel,
  kernelById,
  largestBuffer,
  opById,
  problemWith,
  refuseIf,
  resolveVariant,
  type Shape,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { isFor, type PlannableDevice, type SweepCase, type SweepSpec } from './spec';

/** Checks every field; returns the chosen devices. Throws InputError at the invalid field. */
export function checkSpec(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannableDevice[] {
  const chosen = chooseDevices(spec, devices);
  for (const [index, sweepCase] of spec.cases.entries())
    checkCase(sweepCase, `cases[${index}]`, chosen);
  return chosen;
}

function chooseDevices(spec: SweepSpec, devices: readonly PlannableDevice[]): PlannableDevice[] {
  if (devices.length === 0) {
    throw new InputError(
      'No device is attached yet. Attach one on the Workers page, then submit again.',
      'devices',
    );
  }
  if (!spec.devices) return [...devices];
  return [...new Set(spec.devices)].map((key, index) => {
    const device = devices.find((device) => device.key === key);
    if (device) return device;
    const keys = devices.map((device) => device.key).join(', ');
    throw new InputError(`There is no device ${key}. Devices: ${keys}.`, `devices[${index}]`);
  });
}

function checkCase(sweepCase: SweepCase, path: string, devices: readonly PlannableDevice[]): void {
  const kernel = kernelById(sweepCase.kernel, `${path}.kernel`);
  for (const [name, values] of Object.entries(sweepCase.tunables)) {
    for (const value of values) resolveVariant(sweepCase.kernel, { [name]: value }, path);
  }
  if (sweepCase.rival) checkRival(sweepCase.rival, `${path}.rival`, kernel);
  for (const [index, dtype] of sweepCase.dtypes.entries()) {
    if (kernel.dtypes.includes(dtype)) continue;
    throw new InputError(
      `${kernel.id} does not support ${dtype}; it supports ${kernel.dtypes.join(', ')}.`,
      `${path}.dtypes[${index}]`,
    );
  }
  for (const [index, shape] of sweepCase.shapes.entries()) {
    checkShape(shape, `${path}.shapes[${index}]`, sweepCase, kernel, devices);
  }
}

function checkRival(rival: Variant, field: string, { op, runsOn }: Kernel): void {
  const { definition } = resolveVariant(rival.kernel, rival.tunables, field);
  refuseIf(definition.op !== op, `${rival.kernel} computes ${definition.op}, not ${op}.`, field);
  refuseIf(definition.runsOn !== runsOn, 'One runs on the host and the other on a GPU.', field);
}

function checkShape(
  shape: Shape,
  field: string,
  sweepCase: SweepCase,
  kernel: Kernel,
  devices: readonly PlannableDevice[],
): void {
  const sizes = sweepCase.dtypes.map((dtype) => {
    const problem = problemWith(kernel.op, shape, dtype);
    if (!problem) {
      const dimensions = Object.keys(opById(kernel.op).square(2)).join(', ');
      throw new InputError(
        `${kernel.id} computes ${kernel.op}, whose shapes have ${dimensions}, not ${Object.keys(shape).join(', ')}.`,
        field,
      );
    }
    return { problem, bytes: largestBuffer(problem) };
  });

  const limits = devices
    .filter((device) => isFor(sweepCase, kernel, device))
    .map(({ capabilities }) =>
      capabilities
        ? Math.min(capabilities.maxStorageBufferBindingSize, capabilities.maxBufferSize)
        : Number.POSITIVE_INFINITY,
    );
  const [smallest] = sizes.toSorted((a, b) => a.bytes - b.bytes);
  const largestLimit = Math.max(...limits);
  if (limits.length > 0 && smallest && smallest.bytes > largestLimit) {
    throw new InputError(
      `${shapeText(smallest.problem)} ${smallest.problem.dtype} needs ${bytesText(smallest.bytes)} in one buffer, guards against stray writes included; the most that any device this sweep can run on allows is ${bytesText(largestLimit)}.`,
      field,
    );
  }
}
