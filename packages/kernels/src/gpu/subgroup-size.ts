import { subgroupSizeFeature } from '../kernel/specialise';

/** The feature with which a shader chooses among a device's subgroup sizes. */
export const SIZE_CONTROL = 'subgroup-size-control';

/** Browsers of before subgroups do not tell. */
type Subgroups = Pick<GPUAdapterInfo, 'subgroupMaxSize' | 'subgroupMinSize'>;

const isFixed = ({ subgroupMaxSize, subgroupMinSize }: Subgroups): boolean =>
  subgroupMinSize === subgroupMaxSize;

/**
 * The sizes of subgroups that a shader may rely on, as features: the device's only one, or those that
 * can be chosen. Of a device with several and no control, none.
 */
export function subgroupSizes(info: Subgroups, features: ReadonlySet<string>): string[] {
  const { subgroupMaxSize = 0, subgroupMinSize = 0 } = info;
  if (!isFixed(info) && !features.has(SIZE_CONTROL)) return [];
  const sizes: number[] = [];
  for (let size = subgroupMinSize; size > 0 && size <= subgroupMaxSize; size *= 2) {
    sizes.push(size);
  }
  return sizes.map(subgroupSizeFeature);
}

/** Whether a device has to be told which size a shader relies on. */
export const choosesSize = (info: Subgroups, features: ReadonlySet<string>): boolean =>
  !isFixed(info) && features.has(SIZE_CONTROL);

/** A shader that gets subgroups of a size, of those that its device has. Lines stay where they are. */
export const withSubgroupSize = (wgsl: string, size: number): string =>
  `enable subgroup_size_control; ${wgsl.replaceAll(/@compute(?=\s)/g, `@compute @subgroup_size(${size})`)}`;
