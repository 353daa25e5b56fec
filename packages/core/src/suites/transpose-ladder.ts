import type { Suite } from './suite';

const KERNELS = ['copy', 'naive', 'tiled', 'padded'] as const;

export const transposeLadder: Suite<'rows' | 'cols'> = {
  id: 'transpose-ladder',
  version: 1,
  title: 'Transpose ladder',
  about: 'How near each rung of the transpose comes to a plain copy of the same bytes',
  params: [
    { name: 'rows', about: 'Rows of the matrix', min: 1, max: 16_384, default: 3072 },
    { name: 'cols', about: 'Columns of the matrix', min: 1, max: 16_384, default: 4096 },
  ],
  spec: ({ rows, cols }) => ({
    cases: KERNELS.map((kernel) => ({
      kernel: `transpose/${kernel}`,
      tunables: {},
      shapes: [{ rows, cols }],
      dtypes: ['f32'],
    })),
    profiles: ['default'],
    policy: 'default',
  }),
};
