import { isBlocked } from '../problem/dtype';
import {
  aUnitsOf,
  BAND,
  bUnitsOf,
  type FragmentLayout,
  operandOf,
  PADDING,
  UNIT,
  unitOf,
} from './fragment-layout';
import { matrices, rowOf, scratchOf, type View } from './memory';
import { isPacked } from './packed-dots';
import { loadBytes, loadEight } from './weights-memory';

/**
 * Rows and columns beyond C are clamped to the last one: they are computed but never stored. Steps
 * beyond K are zeros (`edge`), which add nothing to the sums. `at` is the start of a row, in units
 * or, if unaligned, in halves or words of bytes.
 */
export function fragmentDeclarations(layout: FragmentLayout): string {
  const { BN, BK, ORDER, fragment } = layout;
  const { m, n, k } = fragment;
  const operand = operandOf(layout);
  const unit = unitOf(layout);
  return `${fragmentMatrices(layout)}
alias Left = subgroup_matrix_left<${operand}, ${k}, ${m}>;
alias Right = subgroup_matrix_right<${operand}, ${n}, ${k}>;
alias Sums = subgroup_matrix_result<${layout.sums}, ${n}, ${m}>;

const A_PITCH = ${BK / unit + PADDING}u;
const B_PITCH = ${(layout.weights ? BK : BN) / unit + PADDING}u;
var<workgroup> a_tile: array<vec4u, ${aUnitsOf(layout)}>;
var<workgroup> b_tile: array<vec4u, ${bUnitsOf(layout)}>;
${ORDER === 'bands' ? BANDED_GROUPS : ''}
${isPacked(layout) ? `${loadBytes('a')}${loadBytes('b')}` : halfAccesses(layout)}`;
}

/** Loads of eight halves, and their stores. */
function halfAccesses(layout: FragmentLayout): string {
  const product = layout.batched ? 'product: u32, ' : '';
  const to = rowOf(layout, 'shape.m', 'row');
  const [lastOfA, lastOfB] = layout.batched
    ? ['arrayLength(&A2) - 1', 'arrayLength(&B2) - 1']
    : ['(shape.m * shape.k - 1) / 2', '(shape.k * shape.n - 1) / 2'];
  const { weights } = layout;
  return `fn load_a_aligned(at: u32, k8: u32) -> vec4u {
  return A8[at + k8];
}
${
  weights
    ? loadEight(weights)
    : `fn load_b_aligned(at: u32, col8: u32) -> vec4u {
  return B8[at + col8];
}`
}
fn edge_a_aligned(at: u32, k8: u32) -> vec4u {
  let last = shape.k / 8 - 1;
  return select(vec4u(0), A8[at + min(k8, last)], k8 <= last);
}
fn store_c_aligned(${product}row: u32, col: u32, h: vec4u) {
  if (row < shape.m && col < shape.n) {
    C8[(${to} * shape.n + col) / 8] = h;
  }
}

// Rows that start on any half: five words contain eight halves.
fn load_a_unaligned(at: u32, k8: u32) -> vec4u {
  let half = at + 8 * k8;
  let last = ${lastOfA};
  let words = min(half / 2 + vec4u(0, 1, 2, 3), vec4u(last));
  let low = vec4u(A2[words.x], A2[words.y], A2[words.z], A2[words.w]);
  return shifted(low, A2[min(half / 2 + 4, last)], half % 2 == 1);
}
${
  weights && isBlocked(weights)
    ? ''
    : `fn load_b_unaligned(at: u32, col8: u32) -> vec4u {
  let half = at + 8 * col8;
  let words = min(half / 2 + vec4u(0, 1, 2, 3), vec4u(${lastOfB}));
  let low = vec4u(B2[words.x], B2[words.y], B2[words.z], B2[words.w]);
  return shifted(low, B2[min(half / 2 + 4, ${lastOfB})], half % 2 == 1);
}
`
}fn shifted(low: vec4u, next: u32, is_odd: bool) -> vec4u {
  let high = vec4u(low.yzw, next);
  return select(low, (low >> vec4u(16)) | (high << vec4u(16)), is_odd);
}
${
  weights
    ? `fn edge_a_unaligned(at: u32, k8: u32) -> vec4u {
  return load_a_unaligned(at, k8) & before_k(k8);
}
fn before_k(k8: u32) -> vec4u {
${BEFORE_K}
  return low | high;
}`
    : `fn edge_a_unaligned(at: u32, k8: u32) -> vec4u {
${BEFORE_K}
  return load_a_unaligned(at, k8) & (low | high);
}`
}
fn store_c_unaligned(${product}row: u32, col: u32, h: vec4u) {
  for (var i = 0u; i < 8; i++) {
    if (row < shape.m && col + i < shape.n) {
      C[${to} * shape.n + col + i] = bitcast<vec2<f16>>(h[i / 2])[i % 2];
    }
  }
}

/// Eight sums, rounded.
fn halves(low: vec4u, high: vec4u) -> vec4u {
  let l = vec4<f16>(bitcast<vec4f>(low));
  let h = vec4<f16>(bitcast<vec4f>(high));
  return vec4u(bitcast<vec2u>(l), bitcast<vec2u>(h));
}`;
}

/** The halves of a unit before K: masks of the lower and the upper ones. */
const BEFORE_K = `  let left = vec4u(shape.k - min(8 * k8, shape.k));
  let first = vec4u(0, 2, 4, 6);
  let low = select(vec4u(0), vec4u(0xffff), first < left);
  let high = select(vec4u(0), vec4u(0xffff0000), first + 1 < left);`;

/** Numbers workgroups down the columns of one band of rows of tiles, then of the next band. */
const BANDED_GROUPS = `
fn banded(id: vec3u, groups: vec3u) -> vec2u {
  let number = id.y * groups.x + id.x;
  let first = number / (${BAND} * groups.x) * ${BAND};
  let rows = min(${BAND}, groups.y - first);
  let place = number - first * groups.x;
  return vec2u(place / rows, first + place % rows);
}
`;

/** The type that sums of parts of K are kept in. */
export const partOf = ({ sums }: FragmentLayout) => (sums === 'f16' ? 'f32' : sums);

/** Four of them: `vec4f`. */
const fourOf = (layout: FragmentLayout): string => `vec4${partOf(layout).charAt(0)}`;

/** Each matrix as units of 16 bytes and as words or elements, and scratch memory for the sums of all parts of K. */
function fragmentMatrices(layout: FragmentLayout): string {
  const { SPLIT, weights } = layout;
  const unit = unitOf(layout);
  const isBytes = isPacked(layout);
  const units = (name: string): View[] => [
    [`${name}${unit}`, 'vec4u'],
    [`${name}${unit / 4}`, 'u32'],
  ];
  const scratch = scratchOf(layout);
  const parts = `
@group(0) @binding(${scratch}) var<storage, read_write> parts4: array<${fourOf(layout)}>;
@group(0) @binding(${scratch}) var<storage, read_write> parts: array<${partOf(layout)}>;`;
  const declared = matrices(layout, {
    A: units('A'),
    B: weights && isBlocked(weights) && !isBytes ? [['B', 'u32']] : units('B'),
    C: [isBytes ? ['C4', fourOf(layout)] : ['C8', 'vec4u'], ['C', isBytes ? layout.sums : 'f16']],
  });
  return `${declared}${SPLIT > 1 ? parts : ''}`;
}

/** Stores a fragment's sums from the tile of A: eight per lane, inside C. */
export function storeFragment(layout: FragmentLayout, access: string): string {
  const { fragment, SPLIT } = layout;
  if (SPLIT > 1 || isPacked(layout)) return storeSums(layout, access);
  const [parameter, product] = layout.batched ? ['product: u32, ', 'product, '] : ['', ''];
  return `
fn store_${access}(sums: u32, lane: u32, ${parameter}row: u32, col: u32) {
  if (lane < ${(fragment.m * fragment.n) / UNIT}) {
${halvesOfLane(layout)
  .map((line) => `    ${line}`)
  .join('\n')}
    store_c_${access}(${product}row + 8 * lane / ${fragment.n}, col + 8 * lane % ${fragment.n}, h);
  }
}`;
}

/** `h`: a lane's eight sums as halves. */
function halvesOfLane(layout: FragmentLayout): string[] {
  if (layout.epilogue) {
    const col = `col + 8 * lane % ${layout.fragment.n}`;
    return [
      ...sumsOfLane(layout, 'unfinished'),
      `let h = halves(bitcast<vec4u>(finished4(low, ${col})), bitcast<vec4u>(finished4(high, ${col} + 4)));`,
    ];
  }
  return layout.sums === 'f16'
    ? ['let h = a_tile[sums + lane];']
    : ['let h = halves(a_tile[sums + 2 * lane], a_tile[sums + 2 * lane + 1]);'];
}

/** `low` and `high`: the same as sums of parts are kept; of halves, by way of `name`. */
const sumsOfLane = (layout: FragmentLayout, name = 'h'): string[] =>
  layout.sums === 'f16'
    ? [
        `let ${name} = a_tile[sums + lane];`,
        `let low = vec4f(bitcast<vec4<f16>>(${name}.xy));`,
        `let high = vec4f(bitcast<vec4<f16>>(${name}.zw));`,
      ]
    : [
        `let low = bitcast<${fourOf(layout)}>(a_tile[sums + 2 * lane]);`,
        `let high = bitcast<${fourOf(layout)}>(a_tile[sums + 2 * lane + 1]);`,
      ];

/** Stores a fragment's sums as they are: into scratch memory, or C. */
function storeSums(layout: FragmentLayout, access: string): string {
  const { batched, fragment, SPLIT } = layout;
  const [parameter, row, to] =
    SPLIT > 1
      ? ['part: u32, ', '(part * shape.m + to_row)', 'parts']
      : [batched ? 'product: u32, ' : '', rowOf(layout, 'shape.m', 'to_row'), 'C'];
  const leaving = sumsOfLane(layout);
  const stores =
    access === 'aligned'
      ? [
          'if (to_row < shape.m && to_col < shape.n) {',
          `  ${to}4[at / 4] = low;`,
          `  ${to}4[at / 4 + 1] = high;`,
          '}',
        ]
      : [
          'for (var i = 0u; i < 8; i++) {',
          '  if (to_row < shape.m && to_col + i < shape.n) {',
          `    ${to}[at + i] = select(high[i % 4], low[i % 4], i < 4);`,
          '  }',
          '}',
        ];
  return `
fn store_${access}(sums: u32, lane: u32, ${parameter}row: u32, col: u32) {
  if (lane < ${(fragment.m * fragment.n) / UNIT}) {
    let to_row = row + 8 * lane / ${fragment.n};
    let to_col = col + 8 * lane % ${fragment.n};
    let at = ${row} * shape.n + to_col;
${[...leaving, ...stores].map((line) => `    ${line}`).join('\n')}
  }
}`;
}
