import { edge, type Suite, square } from './suite';

export const layouts: Suite<'n'> = {
  id: 'layouts',
  version: 1,
  title: 'Shared-memory layouts',
  about: 'Naive against a 16 x 16 tile with A and B stored by row or by column (RR, RC, CR, CC)',
  params: [edge(8192)],
  spec: ({ n }) => ({
    cases: [
      {
        kernel: 'matmul/naive',
        tunables: { BLOCK: [16], MAPPING: ['row-x'] },
        shapes: [square(n)],
        dtypes: ['f32'],
      },
      {
        kernel: 'matmul/tiled',
        tunables: {
          TILE: [16],
          A_LAYOUT: ['row', 'col'],
          B_LAYOUT: ['row', 'col'],
          // With x along rows, row-stored tiles suffer the bank conflicts the suite is about.
          MAPPING: ['row-x'],
        },
        shapes: [square(n)],
        dtypes: ['f32'],
      },
    ],
    profiles: ['default'],
    policy: 'default',
  }),
};
