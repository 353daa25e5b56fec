import { caseOf, edge, type Suite, square, sweepOf } from './suite';

export const tilingLadder: Suite<'n'> = {
  id: 'tiling-ladder',
  version: 1,
  title: 'Tiling ladder',
  about: 'From a sum in global memory to several elements per thread, rung by rung',
  params: [edge(2048)],
  standing: { gpu: {} },
  spec: ({ n }) =>
    sweepOf([
      caseOf('matmul/naive-global', {}, [square(n)]),
      caseOf('matmul/naive', {}, [square(n)]),
      caseOf('matmul/tiled', { TILE: [8, 16, 32], UNROLL: [1, 'full'] }, [square(n)]),
      caseOf('matmul/tiled-wpt', { TILE: [16, 32], WPT: [2, 4, 8] }, [square(n)]),
    ]),
};

export const tiledVsNaive: Suite<'n'> = {
  id: 'tiled-vs-naive',
  version: 1,
  title: 'Tiled vs. naive',
  about:
    'What one 16 × 16 tile in workgroup memory gains over reading everything from global memory',
  params: [edge(1024)],
  standing: { gpu: {} },
  spec: ({ n }) =>
    sweepOf([
      caseOf('matmul/naive', { BLOCK: [16] }, [square(n)]),
      caseOf('matmul/tiled', { TILE: [16] }, [square(n)]),
    ]),
};

const SIDES = [1, 2, 4, 8, 16, 32];
const SIZES = [256, 512, 1024, 4096];

export const threadsPerBlock: Suite<'largest'> = {
  id: 'threads-per-block',
  version: 1,
  title: 'Threads per block',
  about: 'i32 products with 1 to 1,024 threads per workgroup, with and without workgroup memory',
  params: [
    {
      name: 'largest',
      about: `Sizes up to this are run: ${SIZES.join(', ')}`,
      min: 256,
      max: 4096,
      default: 4096,
    },
  ],
  standing: { gpu: { largest: 1024 } },
  spec: ({ largest }) => {
    const shapes = SIZES.filter((n) => n <= largest).map(square);
    return sweepOf([
      caseOf('matmul/naive', { BLOCK: SIDES }, shapes, ['i32']),
      caseOf('matmul/tiled', { TILE: SIDES }, shapes, ['i32']),
    ]);
  },
};

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
  spec: ({ rows, cols }) =>
    sweepOf(RUNGS.map((rung) => caseOf(`transpose/${rung}`, {}, [{ rows, cols }]))),
};
