import type { Dtype, MatmulShape } from '@tilemark/kernels';
import type { Mutant } from './mutant';
import { PRODUCT, rewritten } from './storages';

const FLOATS: readonly Dtype[] = ['f32', 'f16'];

const short = (f32: string) => `bitcast<f32>((bitcast<u32>(${f32}) + 0x20u) & 0xffffffc0u)`;

const OF_18_BITS = [PRODUCT, `${short('load_a(row, p)')} * ${short('load_b(p, col)')}`] as const;

// The one element of a small A may be a power of two near which activations are allowed as much.
const on = ({ m, k }: MatmulShape) => m * k >= 16;

/** Products whose sums are finished wrong, or that are less precise than an activation hides. */
export const EPILOGUES: readonly Mutant[] = [
  rewritten('bias-gelu: operands of 18 bits', ['f32'], OF_18_BITS, { epilogue: 'bias-gelu', on }),
  rewritten('silu: operands of 18 bits', ['f32'], OF_18_BITS, { epilogue: 'silu', on }),
  rewritten(
    'bias-relu: the bias added last',
    FLOATS,
    ['activated(sum + load_bias(col))', 'activated(sum) + load_bias(col)'],
    { epilogue: 'bias-relu' },
  ),
  rewritten('bias: never added', FLOATS, ['sum + load_bias(col)', 'sum'], { epilogue: 'bias' }),
  rewritten(
    'bias: of the next column',
    FLOATS,
    ['load_bias(col))', 'load_bias((col + 1u) % shape.n))'],
    { epilogue: 'bias', on: ({ n }) => n > 1 },
  ),
];
