import { describe, expect, it } from 'vitest';
import type { Problem } from './problem/problem';
import { rotationOf, tensorsOf, turnOf } from './rotation';

const turns = (count: number, rotation: Parameters<typeof turnOf>[1]) =>
  Array.from({ length: count }, (_, i) => turnOf(i, rotation));

const shape = { m: 64, n: 64, k: 64 };

it.each<[Problem, number[]]>([
  [{ op: 'transpose', shape: { rows: 4, cols: 4 }, dtype: 'f32' }, [0]],
  [{ op: 'matmul', shape, dtype: 'f32' }, [0, 1]],
  [{ op: 'matmul', shape, dtype: 'f32-q4z' }, [0, 1, 1, 1]],
  [{ op: 'matmul', shape, dtype: 'f16-q4', epilogue: 'bias' }, [0, 1, 1, 2]],
])(
  'weights and what belongs to them are one tensor, a bias is another (%j)',
  (problem, tensors) => {
    expect(tensorsOf(problem)).toEqual(tensors);
  },
);

describe.each([
  ['a single input', [0]],
  ['A and B', [0, 1]],
  ['weights in blocks', [0, 1, 1]],
  ['weights in blocks and a bias', [0, 1, 1, 1, 2]],
])('a rotation of %s', (_what, tensors) => {
  it('starts with the sets in order, each by itself', () => {
    const first = turns(5, { sets: 5, tensors, isHot: false });
    expect(first).toEqual(
      [0, 1, 2, 3, 4].map((set) => ({ inputs: tensors.map(() => set), output: set })),
    );
  });

  it.each([2, 3, 7])(
    'never finds an output right already, nor a pair of A and any part of B twice (%i sets)',
    (sets) => {
      const held = new Map<number, string>();
      const all = turns(sets ** 2, { sets, tensors, isHot: false });
      for (const { inputs, output } of all) {
        expect(held.get(output)).not.toBe(String(inputs));
        held.set(output, String(inputs));
      }
      for (const [part, tensor] of tensors.entries()) {
        if (tensor === 2 || (tensor === 0 && tensors.length > 1)) continue;
        const pairs = all.map(({ inputs, output }) =>
          tensor === 0 ? `${inputs} ${output}` : `${inputs[0]} ${inputs[part]}`,
        );
        expect(new Set(pairs).size).toBe(sets ** 2);
      }
    },
  );

  it.each([1, 2, 9, 10, 600])('does so hot, over one output, for %i dispatches', (dispatches) => {
    const options = { dispatches, rotate: false };
    const all = turns(dispatches, rotationOf(options, { sets: 128, tensors }));
    expect(new Set(all.map(({ output }) => output))).toEqual(new Set([0]));
    all.reduce(
      (before, now) => {
        expect(now.inputs).not.toEqual(before.inputs);
        return now;
      },
      { inputs: [], output: 0 } as (typeof all)[number],
    );
    // The product of a pair is worth keeping; a copy takes as long as what it is a copy of.
    if (tensors.length === 1) return;
    const pairs = all.map(({ inputs }) => `${inputs[0]} ${inputs[1]}`);
    expect(new Set(pairs).size).toBe(dispatches);
  });
});
