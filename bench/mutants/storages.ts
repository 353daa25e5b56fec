import { asStored, type Dtype, type MatmulShape, type Problem } from '@tilemark/kernels';
import type { Mutant } from './mutant';

/** A right kernel, for what its dtype stores, element by element. */
const RIGHT = `struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y; let col = id.x;
  if (row >= shape.m || col >= shape.n) { return; }
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  C[row * shape.n + col] = T(sum);
}
`;

/** A kernel that reads B wrong: its source with some text replaced. */
function misread(
  name: string,
  dtypes: readonly Dtype[],
  [from, to]: readonly [from: string | RegExp, to: string],
  on: (shape: MatmulShape) => boolean = () => true,
): Mutant {
  return {
    name: `storage: ${name}`,
    isWrongOn: ({ dtype, shape }: Problem) => dtypes.includes(dtype) && on(shape as MatmulShape),
    kernel: {
      id: `matmul/mutant-storage-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      op: 'matmul',
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes,
      tunables: [],
      constraints: [],
      wgsl: RIGHT,
      stored: (wgsl, dtype) => {
        const right = asStored(wgsl, dtype);
        const wrong = right.replace(from, to);
        if (wrong === right) throw new Error(`nothing in ${dtype} is ${String(from)}`);
        return wrong;
      },
      needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
      workgroups: (_values, { shape }) => {
        const { m, n } = shape as MatmulShape;
        return [Math.ceil(n / 16), Math.ceil(m / 16), 1];
      },
    },
  };
}

const Q4: readonly Dtype[] = ['f16-q4', 'f32-q4'];
const ZEROS: readonly Dtype[] = ['f32-q4z'];
const BLOCKED: readonly Dtype[] = ['f16-q8', ...Q4, ...ZEROS];
const BY_ROWS: readonly Dtype[] = ['f32-nt', 'f16-nt', 'f32-f16-nt', ...BLOCKED];
const HALVES_IN_B: readonly Dtype[] = ['f32-f16', 'f32-f16-nt'];

/** To the bits of a half. Compilers fold a conversion there and back. */
const rounded = (f32: string) => `bitcast<f32>((bitcast<u32>(${f32}) + 0x1000u) & 0xffffe000u)`;

/** Products that read what is stored as something else. */
export const STORAGES: readonly Mutant[] = [
  misread(
    'N x K read as K x N',
    BY_ROWS,
    ['load_B(col * shape.k + p)', 'load_B(p * shape.n + col)'],
    ({ n, k }) => n > 1 && k > 1,
  ),
  misread(
    'a row of weights for its neighbour',
    BY_ROWS,
    ['load_B(col *', 'load_B(((col + 1u) % shape.n) *'],
    ({ n }) => n > 1,
  ),
  misread(
    'the scale of the next block',
    BLOCKED,
    ['B_scales[i / 32u]', 'B_scales[min(i / 32u + 1u, shape.n * shape.k / 32u - 1u)]'],
    ({ n, k }) => n * k > 32,
  ),
  misread(
    'the scales of the first block of each row',
    BLOCKED,
    ['B_scales[i / 32u]', 'B_scales[i / shape.k * shape.k / 32u]'],
    ({ k }) => k > 32,
  ),
  misread('the last block left out', BLOCKED, ['p < shape.k', 'p < shape.k - 32u']),
  misread('half of the last block left out', BLOCKED, ['p < shape.k', 'p < shape.k - 16u']),
  misread('halves of a byte swapped', ['f16-q4'], ['+ i / 16u % 2u', '+ 1u - i / 16u % 2u']),
  misread(
    'pairs of a byte swapped',
    ['f32-q4', ...ZEROS],
    ['4u * (i % 8u)', '4u * ((i % 8u) ^ 1u)'],
  ),
  misread(
    'q4_0 read as pairs',
    ['f16-q4'],
    [/extractBits\(B\[.*?\], 4u \* \(.*?\), 4u\)/, 'extractBits(B[i / 8u], 4u * (i % 8u), 4u)'],
  ),
  misread('f32 of A rounded to f16', HALVES_IN_B, ['return S(A[i])', `return ${rounded('A[i]')}`]),
  misread('f32 of B rounded to f16', ['f16-f32'], ['return S(B[i])', `return ${rounded('B[i]')}`]),
  misread('halves of a word swapped', HALVES_IN_B, ['return S(B[i])', 'return S(B[i ^ 1u])']),
  misread('values of 4 bits without their bias', Q4, ['- 8)', ')']),
  misread('zero points ignored', ZEROS, [/ - S\(item_B_zero_points\(.*?\)\)/, '']),
  misread('zero points added', ZEROS, ['- S(item_B_zero', '+ S(item_B_zero']),
  misread('the zero point of the next block', ZEROS, [
    'item_B_zero_points((i) / 32u)',
    'item_B_zero_points((i / 32u) ^ 1u)',
  ]),
  misread('values of 8 bits without their signs', ['f16-q8'], ['^ 128u) - 128)', '^ 0u))']),
];
