import { checkKernel } from '@tilemark/core/contributed';
import {
  type Dtype,
  type Epilogue,
  elementMemory,
  type GpuKernel,
  kernelById,
  type MatmulShape,
  type Problem,
  type TunableValues,
} from '@tilemark/kernels';
import KEEPS_SCALES from './adversaries/keeps-scales.wgsl?raw';
import type { Mutant } from './mutant';

/** A right kernel, element by element. */
const RIGHT = `@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y; let col = id.x;
  if (row >= shape.m || col >= shape.n) { return; }
  for_product(id.z);
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(load_a(row, p)) * Acc(load_b(p, col));
  }
  store_c(row, col, sum);
}
`;

/** A kernel that reads or stores what it should not: its source with some text replaced. */
export function rewritten(
  name: string,
  dtypes: readonly Dtype[],
  [from, to]: readonly [from: string | RegExp, to: string],
  {
    on = () => true,
    epilogue,
    batches,
  }: { on?: (shape: MatmulShape) => boolean; epilogue?: Epilogue; batches?: true },
): Mutant {
  return {
    name,
    ...(epilogue && { epilogue }),
    isWrongOn: ({ dtype, shape }: Problem) => dtypes.includes(dtype) && on(shape as MatmulShape),
    kernel: {
      id: `matmul/mutant-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      op: 'matmul',
      runsOn: 'gpu',
      rung: 99,
      idea: name,
      dtypes,
      tunables: [],
      constraints: [],
      ...(batches && { batches }),
      wgsl: (_values, dtype, written) => {
        const right = elementMemory(dtype, written) + RIGHT;
        const wrong = right.replace(from, to);
        if (wrong === right) throw new Error(`nothing in ${dtype} is ${String(from)}`);
        return wrong;
      },
      needs: () => ({ workgroupSize: [16, 16, 1], workgroupBytes: 0, features: [] }),
      workgroups: (_values, { shape }) => {
        const { b = 1, m, n } = shape as MatmulShape;
        return [Math.ceil(n / 16), Math.ceil(m / 16), b];
      },
    },
  };
}

const misread = (
  name: string,
  dtypes: readonly Dtype[],
  change: readonly [from: string | RegExp, to: string],
  on?: (shape: MatmulShape) => boolean,
): Mutant => rewritten(`storage: ${name}`, dtypes, change, on ? { on } : {});

const Q4: readonly Dtype[] = ['f16-q4', 'f32-q4'];
const ZEROS: readonly Dtype[] = ['f32-q4z'];
const BLOCKED: readonly Dtype[] = ['f16-q8', 'q8-q8', ...Q4, ...ZEROS];
const BY_ROWS: readonly Dtype[] = ['f32-nt', 'f16-nt', 'f32-f16-nt', 'i8-nt', ...BLOCKED];
const BYTES: readonly Dtype[] = ['q8-q8', 'i8-nt'];
const HALVES_IN_B: readonly Dtype[] = ['f32-f16', 'f32-f16-nt'];

/** Whether element i is of the last block of a row. */
const LAST = 'i % shape.k / 32u + 1u == shape.k / 32u';

export const PRODUCT = 'Acc(load_a(row, p)) * Acc(load_b(p, col))';

/** To the bits of a half. Compilers fold a conversion there and back. */
export const rounded = (f32: string) =>
  `bitcast<f32>((bitcast<u32>(${f32}) + 0x1000u) & 0xffffe000u)`;

/** Values of its tunables that make a short source. */
const DOTS: TunableValues = { COLS: 1, LANES: 8, THREADS: 32, UNROLL: 1 };

/** A right kernel of bytes by packed dot products, with some of its text replaced. */
function misdotted(
  name: string,
  dtypes: readonly Dtype[],
  [from, to]: readonly [from: string | RegExp, to: string],
  on: (shape: MatmulShape) => boolean = () => true,
): Mutant {
  const right = kernelById('matmul/rows-of-weights') as GpuKernel;
  return {
    name: `packed dots: ${name}`,
    isWrongOn: ({ dtype, shape }: Problem) => dtypes.includes(dtype) && on(shape as MatmulShape),
    kernel: {
      ...right,
      tunables: right.tunables.map((tunable) => {
        const value = DOTS[tunable.name] ?? tunable.default;
        return { ...tunable, values: [value], default: value };
      }),
      id: `matmul/mutant-dots-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
      dtypes,
      wgsl: (values, dtype, written) => {
        if (typeof right.wgsl === 'string') throw new TypeError('its shader is not emitted');
        const source = right.wgsl(values, dtype, written);
        const wrong = source.replaceAll(from, to);
        if (wrong === source) throw new Error(`nothing in ${dtype} is ${String(from)}`);
        return wrong;
      },
    },
  };
}

/** Products that read what is stored as something else. */
export const STORAGES: readonly Mutant[] = [
  rewritten(
    'batches: B of product b % 4',
    ['f32', 'f16', 'i32'],
    ['(product * shape.k + k)', '(product % 4u * shape.k + k)'],
    { on: ({ b = 1 }) => b > 4, batches: true },
  ),
  {
    name: 'storage: scales kept while values stay',
    kernel: {
      ...checkKernel({ author: 'mutant', source: KEEPS_SCALES }).kernel,
      id: 'matmul/mutant-keeps-scales',
    },
    isWrongOn: ({ dtype }) => dtype === 'f16-q4',
  },
  misread(
    'N x K read as K x N',
    BY_ROWS,
    ['return col * shape.k + k;', 'return k * shape.n + col;'],
    ({ n, k }) => n > 1 && k > 1,
  ),
  misread(
    'a row of weights for its neighbour',
    BY_ROWS,
    ['return col *', 'return ((col + 1u) % shape.n) *'],
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
  misread(
    'the last block of a row read as pairs',
    ['f16-q4'],
    [
      /extractBits\(B\[(.*?)\], 4u \* \((.*?)\), 4u\)/,
      `extractBits(B[select($1, i / 8u, ${LAST})], 4u * select($2, i % 8u, ${LAST}), 4u)`,
    ],
  ),
  misread('products rounded to f16', ['f16-q4', 'f16-q8'], [PRODUCT, rounded(PRODUCT)]),
  misread(
    'sums of four in f16',
    ['f16-nt'],
    [
      /var sum = Acc\(0\);\n(.*\n) *sum \+= (.*);/,
      `var sum = Acc(0); var part = Acc(0);\n$1    part = ${rounded('part + $2')};\n    if (p % 4u == 3u || p + 1u == shape.k) { sum += part; part = Acc(0); }`,
    ],
    ({ k }) => k >= 3,
  ),
  misread('f32 of A rounded to f16', HALVES_IN_B, ['return S(A[i])', `return ${rounded('A[i]')}`]),
  misread('halves of a word swapped', HALVES_IN_B, ['return S(B[i])', 'return S(B[i ^ 1u])']),
  misread('zeros of B taken for ones', BLOCKED, [
    'load_b(p, col)',
    'select(load_b(p, col), S(1), load_b(p, col) == S(0))',
  ]),
  misread('sums that skip what follows a zero of A', BLOCKED, [
    'sum += ',
    'if (Acc(load_a(row, p)) == Acc(0)) { break; }\n    sum += ',
  ]),
  misread('values of 4 bits without their bias', Q4, ['- 8)', ')']),
  misread('zero points ignored', ZEROS, [/ - S\(item_B_zero_points\(.*?\)\)/, '']),
  misread('zero points taken off after the scale', ZEROS, [
    /return \((.*) - (S\(item_B_zero_points\(.*?\)\))\) \* (.*);/,
    'return $1 * $3 - $2;',
  ]),
  misread('zero points added', ZEROS, ['- S(item_B_zero', '+ S(item_B_zero']),
  misread('the zero point of the next block', ZEROS, [
    'item_B_zero_points((i) / 32u)',
    'item_B_zero_points((i / 32u) ^ 1u)',
  ]),
  misread(
    'values of 8 bits without their signs',
    ['f16-q8', ...BYTES],
    ['^ 128u) - 128)', '^ 0u))'],
  ),
  misread(
    'pairs of bytes swapped',
    ['f16-q8', ...BYTES],
    ['8u * (i % 4u)', '8u * ((i % 4u) ^ 2u)'],
  ),
  misread(
    'sums of i8 in f32',
    ['i8-nt'],
    [`sum += ${PRODUCT}`, 'sum = Acc(f32(sum) + f32(load_a(row, p)) * f32(load_b(p, col)))'],
    ({ k }) => k >= 1300,
  ),
  misread(
    'sums of i8 that saturate',
    ['i8-nt'],
    ['store_c(row, col, sum)', 'store_c(row, col, clamp(sum, Acc(-1048576), Acc(1048576)))'],
    ({ k }) => k >= 128,
  ),
  misread('the last word left out', ['i8-nt'], ['p < shape.k', 'p < shape.k - 4u']),
  misread(
    "the scale of A's next block",
    ['q8-q8'],
    ['A_scales[i / 32u]', 'A_scales[min(i / 32u + 1u, shape.m * shape.k / 32u - 1u)]'],
    ({ m, k }) => m * k > 32,
  ),
  misdotted('no signs', BYTES, [/dot4I8Packed\((.*?)\)/g, 'i32(dot4U8Packed($1))']),
  misdotted('pairs of bytes of A swapped', BYTES, [
    /dot4I8Packed\((.*?), /g,
    'dot4I8Packed(($1 << 16u) | ($1 >> 16u), ',
  ]),
  misdotted('scales of B alone', ['q8-q8'], [/t \* (s\d_)/g, '$1']),
  misdotted(
    'the scale of the block before',
    ['q8-q8'],
    [/A_scales\[(.*) \/ 2u\]/g, 'A_scales[max($1 / 2u, 1u) - 1u]'],
    ({ m, k }) => m * k > 32,
  ),
  misdotted(
    'sums of a block rounded to f16',
    ['q8-q8'],
    [/f32\((dot4.*)\);/g, `${rounded('f32($1)')};`],
  ),
];
