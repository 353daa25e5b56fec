/* tilemark {
  "name": "linear", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "src0", "B": "src1", "C": "dst" },
  "workgroups": { "linear": "ceil(m * n / 64)" }
} */
struct Params { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> src0: array<f32>;
@group(0) @binding(1) var<storage, read> src1: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = (group.y * groups.x + group.x) * 64 + lane;
  if (index >= params.m * params.n) { return; }
  let row = index / params.n;
  let col = index % params.n;
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    sum += src0[row * params.k + p] * src1[p * params.n + col];
  }
  dst[index] = sum;
}
