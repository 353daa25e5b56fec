import { KERNELS } from '@tilemark/kernels';

/**
 * An address without the tunables that have their default value: still an
 * address of the same variant, and short enough for a table.
 */
export function shortAddress(address: string): string {
  const [, id, list] = /^([^[]*)\[(.*)\]$/.exec(address) ?? [];
  const kernel = KERNELS.find((each) => each.id === id);
  if (!kernel || list === undefined) return address;
  const defaults = new Set(kernel.tunables.map((each) => `${each.name}=${each.default}`));
  const chosen = list.split(',').filter((each) => !defaults.has(each));
  return chosen.length > 0 ? `${id}[${chosen.join(',')}]` : kernel.id;
}
