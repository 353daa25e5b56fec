// The transpose that kernels are compared with: one element per thread, in the output's order.
//
// bindings  A, want, the chunk of the work
// The header declares A with load_A, S, the type of its elements, and INPUTS, the binding of want.

struct Chunk {
  row: u32, col: u32, first: u32, end: u32, rows: u32, cols: u32, product: u32,
  // Elements of the output before those that `want` has.
  base: u32,
}

@group(0) @binding(INPUTS) var<storage, read_write> want: array<S>;
@group(0) @binding(INPUTS + 1) var<uniform> chunk: Chunk;

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let corner = vec2u(chunk.col, chunk.row) + 64u * group.xy + local.xy;
  for (var i = 0u; i < 16u; i++) {
    let at = corner + 16u * vec2u(i % 4u, i / 4u);
    if (at.x < chunk.rows && at.y < chunk.cols) {
      want[at.y * chunk.rows + at.x - chunk.base] = load_A(at.x * chunk.cols + at.y);
    }
  }
}
