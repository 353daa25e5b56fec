// The product that kernels are compared with. Plain loads and sums only, no workgroup memory,
// barriers or subgroups, so that it shares no idea and no driver's bug with a kernel on trial.
//
// A thread sums 4 x 4 elements, 16 apart each way. Sums are blocked: 16 products, 16 such sums,
// then all of those, so the error grows with sqrt(16 + 16 + K/256) where a plain sum's grows with
// sqrt(K). Products with a long K take several dispatches, each adding its steps to `want`.
//
// bindings  the inputs, want, the chunk of the work
// The header declares S, the type of sums, the inputs with load_A and load_B, whether B is stored
// transposed, INPUTS: the number of their bindings, and finished(sum, col): what an epilogue makes of
// a sum.

struct Chunk {
  row: u32, col: u32, first: u32, end: u32, m: u32, n: u32, k: u32,
  // Of a batch.
  product: u32,
  // Elements of the output before those that `want` has.
  base: u32,
}

@group(0) @binding(INPUTS) var<storage, read_write> want: array<S>;
@group(0) @binding(INPUTS + 1) var<uniform> chunk: Chunk;

alias V = vec4<S>;
const APART = vec4u(0u, 16u, 32u, 48u);

fn store(product: u32, row: u32, cols: vec4u, sums: V) {
  if (row >= chunk.m) { return; }
  for (var i = 0u; i < 4u; i++) {
    if (cols[i] >= chunk.n) { continue; }
    let at = (product * chunk.m + row) * chunk.n + cols[i] - chunk.base;
    var sum = sums[i];
    if (chunk.first != 0u) { sum += want[at]; }
    if (chunk.end == chunk.k) { sum = finished(sum, cols[i]); }
    want[at] = sum;
  }
}

@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let rows = chunk.row + 64u * group.y + local.y + APART;
  let cols = chunk.col + 64u * group.x + local.x + APART;
  let product = chunk.product + group.z;
  let a = (product * chunk.m + min(rows, vec4u(chunk.m - 1u))) * chunk.k;
  let b_step = select(chunk.n, 1u, B_TRANSPOSED);
  let b_pitch = select(1u, chunk.k, B_TRANSPOSED);
  let b = product * chunk.k * chunk.n + min(cols, vec4u(chunk.n - 1u)) * b_pitch;
  var sum0 = V(); var sum1 = V(); var sum2 = V(); var sum3 = V();
  for (var outer = chunk.first; outer < chunk.end; outer += 256u) {
    let outer_end = min(outer + 256u, chunk.end);
    var block0 = V(); var block1 = V(); var block2 = V(); var block3 = V();
    for (var inner = outer; inner < outer_end; inner += 16u) {
      var part0 = V(); var part1 = V(); var part2 = V(); var part3 = V();
      // A constant count, which compilers unroll; beyond the end, rows of B count as zeros.
      for (var i = 0u; i < 16u; i++) {
        let p = min(inner + i, outer_end - 1u);
        let at = p * b_step + b;
        let row = V(load_B(at.x), load_B(at.y), load_B(at.z), load_B(at.w));
        let right = select(V(), row, inner + i < outer_end);
        part0 += load_A(a.x + p) * right;
        part1 += load_A(a.y + p) * right;
        part2 += load_A(a.z + p) * right;
        part3 += load_A(a.w + p) * right;
      }
      block0 += part0; block1 += part1; block2 += part2; block3 += part3;
    }
    sum0 += block0; sum1 += block1; sum2 += block2; sum3 += block3;
  }
  store(product, rows.x, cols, sum0);
  store(product, rows.y, cols, sum1);
  store(product, rows.z, cols, sum2);
  store(product, rows.w, cols, sum3);
}
