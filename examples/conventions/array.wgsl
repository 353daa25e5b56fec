/* tilemark {
  "name": "array", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "lhs", "B": "rhs", "C": "output" },
  "sizes": { "info[0]": "m", "info[1]": "n", "info[2]": "k" },
  "zeros": { "residual": "m * n" },
  "covers": { "rows": 16, "cols": 16 }
} */
@group(0) @binding(0) var<storage, read> lhs: array<f32>;
@group(0) @binding(1) var<storage, read> rhs: array<f32>;
@group(0) @binding(2) var<storage, read> residual: array<f32>;
@group(0) @binding(3) var<storage, read_write> output: array<f32>;
@group(0) @binding(4) var<storage, read> info: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= info[0] || id.x >= info[1]) { return; }
  var sum = 0.0;
  for (var p = 0u; p < info[2]; p++) {
    sum += lhs[id.y * info[2] + p] * rhs[p * info[1] + id.x];
  }
  output[id.y * info[1] + id.x] = sum + residual[id.y * info[1] + id.x];
}
