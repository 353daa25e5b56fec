// transpose/naive: one thread moves one element.
//
// bindings  0 A [rows x cols]   1 B [cols x rows], both row-major   2 the shape
// tunables  BLOCK      threads along each side of a workgroup
//           DIRECTION  READ_COALESCED: neighbouring threads read neighbours in A
//                      WRITE_COALESCED: neighbouring threads write neighbours in B
//
//   A             B
//  +--------+    +-----+
//  | a b c  |    | a   |    three neighbouring threads: a b c lie side by side
//  |        |    | b   |    in A and a whole row of B apart in B
//  +--------+    | c   |
//                +-----+

struct Shape { rows: u32, cols: u32 }

@group(0) @binding(0) var<storage, read> A: array<T>;
@group(0) @binding(1) var<storage, read_write> B: array<T>;
@group(0) @binding(2) var<uniform> shape: Shape;

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = select(id.y, id.x, DIRECTION == WRITE_COALESCED);
  let col = select(id.x, id.y, DIRECTION == WRITE_COALESCED);
  if (row < shape.rows && col < shape.cols) {
    B[col * shape.rows + row] = A[row * shape.cols + col];
  }
}
