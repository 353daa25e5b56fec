// The product that kernels are compared with. Plain loads and sums only, no workgroup memory,
// barriers or subgroups, so that it shares no idea and no driver's bug with a kernel on trial.
//
// A thread sums 8 x 4 elements, of rows 8 apart. Sums are blocked: 4 products, 16 such sums, then all of
// those, so the error grows with sqrt(4 + 16 + K/64) where a plain sum's grows with sqrt(K). Products
// with a long K take several dispatches, each adding its steps to `want`.
//
// bindings  the inputs, want, the chunk of the work
// The header declares S, the type of sums, the inputs with load_A, load4_A, load_B and load4_B,
// whether B is stored transposed, INPUTS: the number of their bindings, VECTORS: K is a multiple of 64
// and a row of B one of 4, and finished(sum, col): what an epilogue makes of a sum.

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
const NEXT = vec4u(0u, 1u, 2u, 3u);

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

// Four steps of a row of A.
fn steps_of_A(a: u32, p: u32) -> V {
  if (VECTORS) { return load4_A(a + p); }
  let at = a + min(p + NEXT, vec4u(chunk.end - 1u));
  return V(load_A(at.x), load_A(at.y), load_A(at.z), load_A(at.w));
}

// A step of four columns of B: zeros beyond the end.
fn step_of_B(b: vec4u, p: u32) -> V {
  if (VECTORS) { return load4_B(b.x + p * chunk.n); }
  let at = b + min(p, chunk.end - 1u) * select(chunk.n, 1u, B_TRANSPOSED);
  let row = V(load_B(at.x), load_B(at.y), load_B(at.z), load_B(at.w));
  return select(V(), row, p < chunk.end);
}

fn dot4(a: V, b0: V, b1: V, b2: V, b3: V) -> V {
  return a.x * b0 + a.y * b1 + a.z * b2 + a.w * b3;
}

@compute @workgroup_size(16, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let upper = chunk.row + 64u * group.y + local.y + 8u * NEXT;
  let lower = upper + 32u;
  let cols = chunk.col + 64u * group.x + 4u * local.x + NEXT;
  let product = chunk.product + group.z;
  let a = (product * chunk.m + min(upper, vec4u(chunk.m - 1u))) * chunk.k;
  let d = (product * chunk.m + min(lower, vec4u(chunk.m - 1u))) * chunk.k;
  let last = select(vec4u(chunk.n - 1u), chunk.n - 4u + NEXT, VECTORS);
  let b = product * chunk.k * chunk.n + min(cols, last) * select(1u, chunk.k, B_TRANSPOSED);
  var sum0 = V(); var sum1 = V(); var sum2 = V(); var sum3 = V();
  var sum4 = V(); var sum5 = V(); var sum6 = V(); var sum7 = V();
  for (var outer = chunk.first; outer < chunk.end; outer += 64u) {
    var part0 = V(); var part1 = V(); var part2 = V(); var part3 = V();
    var part4 = V(); var part5 = V(); var part6 = V(); var part7 = V();
    // A constant count, which compilers unroll.
    for (var i = 0u; i < 64u; i += 4u) {
      let p = outer + i;
      let b0 = step_of_B(b, p);
      let b1 = step_of_B(b, p + 1u);
      let b2 = step_of_B(b, p + 2u);
      let b3 = step_of_B(b, p + 3u);
      part0 += dot4(steps_of_A(a.x, p), b0, b1, b2, b3);
      part1 += dot4(steps_of_A(a.y, p), b0, b1, b2, b3);
      part2 += dot4(steps_of_A(a.z, p), b0, b1, b2, b3);
      part3 += dot4(steps_of_A(a.w, p), b0, b1, b2, b3);
      part4 += dot4(steps_of_A(d.x, p), b0, b1, b2, b3);
      part5 += dot4(steps_of_A(d.y, p), b0, b1, b2, b3);
      part6 += dot4(steps_of_A(d.z, p), b0, b1, b2, b3);
      part7 += dot4(steps_of_A(d.w, p), b0, b1, b2, b3);
    }
    sum0 += part0; sum1 += part1; sum2 += part2; sum3 += part3;
    sum4 += part4; sum5 += part5; sum6 += part6; sum7 += part7;
  }
  store(product, upper.x, cols, sum0);
  store(product, upper.y, cols, sum1);
  store(product, upper.z, cols, sum2);
  store(product, upper.w, cols, sum3);
  store(product, lower.x, cols, sum4);
  store(product, lower.y, cols, sum5);
  store(product, lower.z, cols, sum6);
  store(product, lower.w, cols, sum7);
}
