// The product that kernels are compared with. Plain loads and sums only, no workgroup memory,
// barriers or subgroups, so that it shares no idea and no driver's bug with a kernel on trial.
//
// A thread sums 8 x 4 elements, of rows 8 apart. Sums are blocked: 16 products, 16 such sums, then
// all of those, so the error grows with sqrt(16 + 16 + K/256) where a plain sum's grows with
// sqrt(K). Products with a long K take several dispatches, each adding its steps to `want`.
//
// bindings  the inputs, want, the chunk of the work
// The header declares S, the type of sums, the inputs with load_A, load4_A, load_B and load4_B,
// whether B is stored transposed, INPUTS: the number of their bindings, finished(sum, col): what an
// epilogue makes of a sum, and VECTORS: K is a multiple of 16, and a row of B in memory one of 4.

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

// A step of four columns of B.
fn step_of(b: vec4u, p: u32) -> V {
  let at = b + p * select(chunk.n, 1u, B_TRANSPOSED);
  if (VECTORS && !B_TRANSPOSED) { return load4_B(at.x); }
  return V(load_B(at.x), load_B(at.y), load_B(at.z), load_B(at.w));
}

struct Steps { s0: V, s1: V, s2: V, s3: V }

fn four_steps_of(b: vec4u, p: u32) -> Steps {
  if (!B_TRANSPOSED) {
    return Steps(step_of(b, p), step_of(b, p + 1u), step_of(b, p + 2u), step_of(b, p + 3u));
  }
  let c0 = load4_B(b.x + p);
  let c1 = load4_B(b.y + p);
  let c2 = load4_B(b.z + p);
  let c3 = load4_B(b.w + p);
  return Steps(
    V(c0.x, c1.x, c2.x, c3.x), V(c0.y, c1.y, c2.y, c3.y),
    V(c0.z, c1.z, c2.z, c3.z), V(c0.w, c1.w, c2.w, c3.w),
  );
}

fn four_added(part: V, a: V, b: Steps) -> V {
  return part + a.x * b.s0 + a.y * b.s1 + a.z * b.s2 + a.w * b.s3;
}

@compute @workgroup_size(16, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let upper = chunk.row + 64u * group.y + local.y + 8u * NEXT;
  let lower = upper + 32u;
  let cols = chunk.col + 64u * group.x + select(local.x + 16u * NEXT, 4u * local.x + NEXT, VECTORS);
  let product = chunk.product + group.z;
  let a = (product * chunk.m + min(upper, vec4u(chunk.m - 1u))) * chunk.k;
  let d = (product * chunk.m + min(lower, vec4u(chunk.m - 1u))) * chunk.k;
  let last = select(vec4u(chunk.n - 1u), chunk.n - 4u + NEXT, VECTORS && !B_TRANSPOSED);
  let b = product * chunk.k * chunk.n + min(cols, last) * select(1u, chunk.k, B_TRANSPOSED);
  var sum0 = V(); var sum1 = V(); var sum2 = V(); var sum3 = V();
  var sum4 = V(); var sum5 = V(); var sum6 = V(); var sum7 = V();
  for (var outer = chunk.first; outer < chunk.end; outer += 256u) {
    let end = min(outer + 256u, chunk.end);
    var block0 = V(); var block1 = V(); var block2 = V(); var block3 = V();
    var block4 = V(); var block5 = V(); var block6 = V(); var block7 = V();
    for (var inner = outer; inner < end; inner += 16u) {
      var part0 = V(); var part1 = V(); var part2 = V(); var part3 = V();
      var part4 = V(); var part5 = V(); var part6 = V(); var part7 = V();
      // Constant counts, which compilers unroll; beyond the end, steps of B count as zeros.
      if (VECTORS) {
        for (var i = 0u; i < 16u; i += 4u) {
          let p = inner + i;
          let right = four_steps_of(b, p);
          part0 = four_added(part0, load4_A(a.x + p), right);
          part1 = four_added(part1, load4_A(a.y + p), right);
          part2 = four_added(part2, load4_A(a.z + p), right);
          part3 = four_added(part3, load4_A(a.w + p), right);
          part4 = four_added(part4, load4_A(d.x + p), right);
          part5 = four_added(part5, load4_A(d.y + p), right);
          part6 = four_added(part6, load4_A(d.z + p), right);
          part7 = four_added(part7, load4_A(d.w + p), right);
        }
      } else {
        for (var i = 0u; i < 16u; i++) {
          let p = min(inner + i, end - 1u);
          let right = select(V(), step_of(b, p), inner + i < end);
          part0 += load_A(a.x + p) * right;
          part1 += load_A(a.y + p) * right;
          part2 += load_A(a.z + p) * right;
          part3 += load_A(a.w + p) * right;
          part4 += load_A(d.x + p) * right;
          part5 += load_A(d.y + p) * right;
          part6 += load_A(d.z + p) * right;
          part7 += load_A(d.w + p) * right;
        }
      }
      block0 += part0; block1 += part1; block2 += part2; block3 += part3;
      block4 += part4; block5 += part5; block6 += part6; block7 += part7;
    }
    sum0 += block0; sum1 += block1; sum2 += block2; sum3 += block3;
    sum4 += block4; sum5 += block5; sum6 += block6; sum7 += block7;
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
