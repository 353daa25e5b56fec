/* tilemark
{"name": "i32-by-halves", "op": "matmul", "dtypes": ["i32"], "covers": {"rows": 8, "cols": 8}}
*/
// Right: i32 products by 16-bit halves
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<i32>;
@group(0) @binding(1) var<storage, read> B: array<i32>;
@group(0) @binding(2) var<storage, read_write> C: array<i32>;
@group(0) @binding(3) var<uniform> shape: Shape;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_id) l: vec3u) {
  let m = shape.m; let n = shape.n; let k = shape.k; let row = id.y; let col = id.x;
  if (row >= m || col >= n) { return; }
  
  var sum = 0i;
  for (var p = 0u; p < k; p++) { let x = bitcast<u32>(A[row * k + p]); let y = bitcast<u32>(B[p * n + col]); sum += bitcast<i32>((x & 0xffffu) * (y & 0xffffu) + (((x >> 16u) * (y & 0xffffu) + (x & 0xffffu) * (y >> 16u)) << 16u)); }
  C[row * n + col] = sum;
}
