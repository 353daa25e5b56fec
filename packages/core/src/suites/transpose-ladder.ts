import { publishedTransposeLadder } from './published/reports';
import { caseOf, type Suite, sweepOf } from './suite';

const RUNGS = ['copy', 'naive', 'tiled', 'padded', 'cpu-naive'] as const;

export const transposeLadder: Suite<'rows' | 'cols'> = {
  id: 'transpose-ladder',
  version: 2,
  title: 'Transpose ladder',
  about: 'How close each rung of the transpose comes to a plain copy of the same bytes',
  params: [
    { name: 'rows', about: 'Rows of the matrix', min: 1, max: 16_384, default: 3072 },
    { name: 'cols', about: 'Columns of the matrix', min: 1, max: 16_384, default: 4096 },
  ],
  standing: { gpu: {}, software: { rows: 384, cols: 512 }, cpu: {} },
  published: publishedTransposeLadder,
  spec: ({ rows, cols }) =>
    sweepOf(RUNGS.map((rung) => caseOf(`transpose/${rung}`, {}, [{ rows, cols }]))),
};
