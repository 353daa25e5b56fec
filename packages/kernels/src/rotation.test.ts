import { describe, expect, it } from 'vitest';
import { rotationOf, turnOf } from './rotation';

const turns = (count: number, rotation: Parameters<typeof turnOf>[1]) =>
  Array.from({ length: count }, (_, i) => turnOf(i, rotation));

describe.each([1, 2])('a rotation of %i inputs', (inputs) => {
  it('starts with the sets in order, each by itself', () => {
    const first = turns(5, { sets: 5, inputs, isHot: false });
    expect(first).toEqual(
      [0, 1, 2, 3, 4].map((set) => ({ inputs: Array(inputs).fill(set), output: set })),
    );
  });

  it.each([2, 3, 7])(
    'never finds an output right already, nor a product twice (%i sets)',
    (sets) => {
      const held = new Map<number, string>();
      const products = new Set<string>();
      const all = turns(sets ** 2, { sets, inputs, isHot: false });
      for (const { inputs: of, output } of all) {
        expect(held.get(output)).not.toBe(String(of));
        held.set(output, String(of));
        products.add(inputs === 1 ? `${of} ${output}` : String(of));
      }
      expect(products.size).toBe(sets ** 2);
    },
  );

  it.each([1, 2, 9, 10, 600])('does so hot, over one output, for %i dispatches', (dispatches) => {
    const options = { dispatches, rotate: false };
    const all = turns(dispatches, rotationOf(options, { sets: 128, inputs }));
    expect(new Set(all.map(({ output }) => output))).toEqual(new Set([0]));
    all.reduce(
      (before, now) => {
        expect(now.inputs).not.toEqual(before.inputs);
        return now;
      },
      { inputs: [], output: 0 } as (typeof all)[number],
    );
    // The product of a pair is worth keeping; a copy takes as long as what it is a copy of.
    if (inputs === 2) expect(new Set(all.map((turn) => String(turn.inputs))).size).toBe(dispatches);
  });
});
