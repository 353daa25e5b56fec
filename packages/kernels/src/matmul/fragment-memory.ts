import { aUnitsOf, bUnitsOf, type FragmentLayout, PADDING, UNIT } from './fragment-layout';

/**
 * Rows and columns beyond C are clamped to the last: they are computed and never stored.
 * Steps beyond K are zeros (`edge`), which add nothing to the sums. `at` is where a row
 * starts, in units or, unaligned, in halves.
 */
export function fragmentDeclarations(layout: FragmentLayout): string {
  const { bn, bk, band, fragment } = layout;
  const { m, n, k } = fragment;
  return `
struct Shape { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> A8: array<vec4u>; // eight halves each
@group(0) @binding(1) var<storage, read> B8: array<vec4u>;
@group(0) @binding(2) var<storage, read_write> C8: array<vec4u>;
@group(0) @binding(0) var<storage, read> A: array<f16>;
@group(0) @binding(1) var<storage, read> B: array<f16>;
@group(0) @binding(2) var<storage, read_write> C: array<f16>;
@group(0) @binding(3) var<uniform> shape: Shape;

alias Left = subgroup_matrix_left<f16, ${k}, ${m}>;
alias Right = subgroup_matrix_right<f16, ${n}, ${k}>;
alias Sums = subgroup_matrix_result<${layout.sums}, ${n}, ${m}>;

const A_PITCH = ${bk / UNIT + PADDING}u;
const B_PITCH = ${bn / UNIT + PADDING}u;
var<workgroup> a_tile: array<vec4u, ${aUnitsOf(layout)}>;
var<workgroup> b_tile: array<vec4u, ${bUnitsOf(layout)}>;
${band ? bandedGroups(band) : ''}
fn load_a_aligned(at: u32, k8: u32) -> vec4u {
  return A8[at + k8];
}
fn load_b_aligned(at: u32, col8: u32) -> vec4u {
  return B8[at + col8];
}
fn edge_a_aligned(at: u32, k8: u32) -> vec4u {
  let last = shape.k / 8 - 1;
  return select(vec4u(0), A8[at + min(k8, last)], k8 <= last);
}
fn store_c_aligned(row: u32, col: u32, h: vec4u) {
  if (row < shape.m && col < shape.n) {
    C8[(row * shape.n + col) / 8] = h;
  }
}

fn load_a_unaligned(at: u32, k8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    h[i] = A[at + 8 * k8 + i];
  }
  return pack(h);
}
fn load_b_unaligned(at: u32, col8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    h[i] = B[at + min(8 * col8 + i, shape.n - 1)];
  }
  return pack(h);
}
fn edge_a_unaligned(at: u32, k8: u32) -> vec4u {
  var h: array<f16, 8>;
  for (var i = 0u; i < 8; i++) {
    let k = 8 * k8 + i;
    h[i] = select(0h, A[at + min(k, shape.k - 1)], k < shape.k);
  }
  return pack(h);
}
fn store_c_unaligned(row: u32, col: u32, h: vec4u) {
  for (var i = 0u; i < 8; i++) {
    if (row < shape.m && col + i < shape.n) {
      C[row * shape.n + col + i] = bitcast<vec2<f16>>(h[i / 2])[i % 2];
    }
  }
}

/// Eight sums, rounded.
fn halves(low: vec4u, high: vec4u) -> vec4u {
  let l = vec4<f16>(bitcast<vec4f>(low));
  let h = vec4<f16>(bitcast<vec4f>(high));
  return vec4u(bitcast<vec2u>(l), bitcast<vec2u>(h));
}

fn pack(h: array<f16, 8>) -> vec4u {
  return vec4u(
    bitcast<u32>(vec2(h[0], h[1])), bitcast<u32>(vec2(h[2], h[3])),
    bitcast<u32>(vec2(h[4], h[5])), bitcast<u32>(vec2(h[6], h[7])),
  );
}`;
}

/** Workgroups numbered down the columns of a band of rows of tiles, then of the next band. */
function bandedGroups(band: number): string {
  return `
fn banded(id: vec3u, groups: vec3u) -> vec2u {
  let number = id.y * groups.x + id.x;
  let first = number / (${band} * groups.x) * ${band};
  let rows = min(${band}, groups.y - first);
  let place = number - first * groups.x;
  return vec2u(place / rows, first + place % rows);
}
`;
}

/** Where a fragment's sums leave the tile of A: eight of them a lane, as halves, inside C. */
export function storeFragment({ fragment, sums }: FragmentLayout, access: string): string {
  const leaving =
    sums === 'f16'
      ? 'a_tile[sums + lane]'
      : 'halves(a_tile[sums + 2 * lane], a_tile[sums + 2 * lane + 1])';
  return `
fn store_${access}(sums: u32, lane: u32, row: u32, col: u32) {
  if (lane < ${(fragment.m * fragment.n) / UNIT}) {
    let h = ${leaving};
    store_c_${access}(row + 8 * lane / ${fragment.n}, col + 8 * lane % ${fragment.n}, h);
  }
}`;
}
