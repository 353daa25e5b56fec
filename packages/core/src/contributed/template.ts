import type { OpId } from '@tilemark/kernels';

/** What the template of an op says, and does. */
const OF_OP: Readonly<
  Record<
    OpId,
    Readonly<Record<'about' | 'dtypes' | 'bindings' | 'sizes' | 'declared' | 'body', string>>
  >
> = {
  matmul: {
    about: 'One thread per element of C',
    dtypes: 'f32, i32, f16 (f16 in memory, sums in f32), f16acc16 (sums in f16)',
    bindings: `//   0  A, m x k, row-major: element (i, j) is A[i * k + j]
//   1  B, k x n, row-major
//   2  C, m x n, row-major, full of garbage: write every element, and nothing outside
//   3  the shape`,
    sizes: 'm: u32, n: u32, k: u32',
    declared: `@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read> B: array<T>;
@group(0) @binding(2) var<storage, read_write> C: array<T>;
@group(0) @binding(3) var<uniform> shape: Shape;`,
    body: `  // The last workgroups reach beyond C wherever BLOCK does not divide m or n.
  if (row >= shape.m || col >= shape.n) {
    return;
  }
  var sum = Acc(0);
  for (var p = 0u; p < shape.k; p++) {
    sum += Acc(A[row * shape.k + p]) * Acc(B[p * shape.n + col]);
  }
  C[row * shape.n + col] = T(sum);`,
  },
  transpose: {
    about: 'One thread per element, read along columns',
    dtypes: 'f32, i32, f16',
    bindings: `//   0  A, rows x cols, row-major: element (i, j) is A[i * cols + j]
//   1  C, cols x rows, row-major, full of garbage: write every element, and nothing outside
//   2  the shape`,
    sizes: 'rows: u32, cols: u32',
    declared: `@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> C: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;`,
    body: `  // The last workgroups reach beyond C wherever BLOCK does not divide rows or cols.
  if (row >= shape.cols || col >= shape.rows) {
    return;
  }
  C[row * shape.rows + col] = A[col * shape.cols + row];`,
  },
};

/** A naive kernel that passes, with what an author needs to know: `tilemark kernel new NAME --op OP`. */
export function kernelTemplate(name: string, op: OpId = 'matmul'): string {
  const { about, dtypes, bindings, sizes, declared, body } = OF_OP[op];
  return `/* tilemark
{
  "name": "${name}",
  "about": "${about}",
  "op": "${op}",
  "dtypes": ["f32"],
  "tunables": { "BLOCK": { "values": [16, 8, 4], "about": "Threads along each side" } },
  "covers": { "rows": "BLOCK", "cols": "BLOCK" }
}
*/

// The comment above is the manifest, JSON. Everything in it is explained in docs/bring.md:
//   name      of the kernel: a-z, 0-9 and -, at most 40
//   dtypes    ${dtypes}
//   tunables  Tilemark declares each as a constant, here const BLOCK: u32 = 16u;
//             The first value is the default; a sweep may measure the others.
//   covers    rows and columns of C that one workgroup writes: from this follows how many
//             workgroups run, along x for the columns and along y for the rows
//
// Tilemark also declares two types for the dtype: T, of elements in memory, and Acc, of sums.
//
// These bindings are given; "bindings" and "sizes" say what is called otherwise.
${bindings}

struct Shape { ${sizes} }

${declared}

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y;
  let col = id.x;
${body}
}
`;
}
