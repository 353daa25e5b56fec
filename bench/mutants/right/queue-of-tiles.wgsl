/* tilemark
{"name": "queue-of-tiles", "op": "matmul", "dtypes": ["f32"], "covers": {"rows": "m", "cols": "n"}, "entryPoint": "reset", "scratchBytes": 64, "passes": [{"entryPoint": "work", "workgroups": [4]}]}
*/
// Right: a queue of tiles with an atomic counter, four persistent workgroups
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<uniform> shape: Shape;
@group(0) @binding(4) var<storage, read_write> scratch: array<atomic<u32>>;
@compute @workgroup_size(1) fn reset() { atomicStore(&scratch[0], 0u); }
var<workgroup> tile: u32;
@compute @workgroup_size(64)
fn work(@builtin(local_invocation_index) t: u32) {
  let n = shape.n; let k = shape.k; let across = (n + 7u) / 8u; let tiles = across * ((shape.m + 7u) / 8u);
  loop {
    if (t == 0u) { tile = atomicAdd(&scratch[0], 1u); }
    let mine = workgroupUniformLoad(&tile); if (mine >= tiles) { break; }
    let row = mine / across * 8u + t / 8u; let col = mine % across * 8u + t % 8u;
    if (row < shape.m && col < n) { var sum = 0.0; for (var p = 0u; p < k; p++) { sum += A[row * k + p] * B[p * n + col]; } C[row * n + col] = sum; }
    workgroupBarrier();
  }
}
