import type { Device, RooflineRecord, RunResult } from '@tilemark/core';
import { plural } from '@/ui/format';
import { deviceRoofs } from './roof';

const all = new Intl.ListFormat('en');

/** What a search engine or a chat shows of the page of a device: only what is on it. */
export function deviceDescription(
  { identity, name, results }: Pick<Device, 'identity' | 'name' | 'results'>,
  best: readonly RunResult[],
  surveys: readonly RooflineRecord[],
): string {
  const parts = [
    ...(best.length > 0 ? ['its best kernel for each problem'] : []),
    ...(deviceRoofs(surveys, best).length > 0 ? ['its roofline'] : []),
    plural(results, 'measured result'),
  ];
  return `${name} (${identity.backend}): ${all.format(parts)}.`;
}
