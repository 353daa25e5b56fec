import { PACKED_DOTS, SIZE_CONTROL, subgroupSizes } from '@tilemark/kernels';
import { z } from 'zod';
import { type DeviceCapabilities, limitsBy } from '../measure/device';

/** Features that kernels or timing use; requested if the adapter has them. */
const FEATURES: readonly string[] = [
  'timestamp-query',
  'shader-f16',
  'subgroups',
  SIZE_CONTROL,
  'chromium-experimental-subgroup-matrix',
];

/**
 * The device of an adapter with every limit that it has, and the features that kernels use, those of
 * the language among them.
 */
export async function requestWholeDevice(
  adapter: GPUAdapter,
  { wgslLanguageFeatures }: Pick<GPU, 'wgslLanguageFeatures'>,
): Promise<{ readonly device: GPUDevice; readonly capabilities: DeviceCapabilities }> {
  const device = await adapter.requestDevice({
    requiredFeatures: [...adapter.features].filter((feature): feature is GPUFeatureName =>
      FEATURES.includes(feature),
    ),
    requiredLimits: largestLimits(adapter.limits),
  });
  const language = wgslLanguageFeatures.has(PACKED_DOTS) ? [PACKED_DOTS] : [];
  return { device, capabilities: capabilitiesOf(device, adapter.info, language) };
}

/** Limits that grow with the device; alignments (`min...`) stay at their defaults. */
function largestLimits(limits: GPUSupportedLimits): Record<string, number> {
  const names = Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(limits)));
  return Object.fromEntries(
    names
      .filter((name) => name.startsWith('max'))
      .map((name) => [name, Number(Reflect.get(limits, name))]),
  );
}

function capabilitiesOf(
  { features, limits }: GPUDevice,
  info: GPUAdapterInfo,
  language: readonly string[],
): DeviceCapabilities {
  const abilities = features.has('subgroups') ? subgroupAbilities(info, features) : [];
  return {
    features: [...features, ...abilities, ...language].sort(),
    ...limitsBy((limit) => limits[limit]),
  };
}

/** Dawn's, not yet in the standard's types. */
const matrixConfigsSchema = z.array(
  z.object({
    componentType: z.string(),
    resultComponentType: z.string(),
    M: z.number(),
    N: z.number(),
    K: z.number(),
  }),
);

/**
 * Abilities of subgroups beyond WebGPU's features, named like features: the sizes that can be relied on, and
 * each shape of matrix multiplication.
 */
function subgroupAbilities(info: GPUAdapterInfo, features: ReadonlySet<string>): string[] {
  const { data: configs = [] } = matrixConfigsSchema.safeParse([
    ...(Reflect.get(info, 'subgroupMatrixConfigs') ?? []),
  ]);
  return [
    ...subgroupSizes(info, features),
    ...configs.map(
      ({ componentType, resultComponentType, M, N, K }) =>
        `subgroup-matrix-${resultComponentType}-${componentType}-${M}x${N}x${K}`,
    ),
  ];
}
