/* tilemark {
  "name": "batches", "op": "matmul", "dtypes": ["f32"], "batches": true,
  "sizes": { "M": "m", "N": "n", "K": "k", "A_OFFSET": "m * k", "B_OFFSET": "k * n", "C_OFFSET": "m * n" },
  "workgroups": ["n / 16", "m / 16", "b"]
} */
struct Meta { M: u32, N: u32, K: u32, A_OFFSET: u32, B_OFFSET: u32, C_OFFSET: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(1) @binding(0) var<uniform> metadata: Meta;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= metadata.M || id.x >= metadata.N) { return; }
  var sum = 0.0;
  for (var p = 0u; p < metadata.K; p++) {
    sum += A[id.z * metadata.A_OFFSET + id.y * metadata.K + p] * B[id.z * metadata.B_OFFSET + p * metadata.N + id.x];
  }
  C[id.z * metadata.C_OFFSET + id.y * metadata.N + id.x] = sum;
}
