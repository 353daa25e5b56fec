import { toDevice } from '../problem/encoding.test-helper';
import { allocate } from '../problem/op';
import type { Problem } from '../problem/problem';
import { fillsOf, type InputChoice } from './fills';
import { fillItems } from './inputs';

/** The contents of each part of each input, as a device has them. */
export function storedBytes(problem: Problem, choice: InputChoice): Uint8Array<ArrayBuffer>[] {
  return fillsOf(problem, choice).map((fill) => {
    const items = allocate(fill.item, fill.length);
    fillItems(items, fill, 0);
    return toDevice(fill.item, items);
  });
}
