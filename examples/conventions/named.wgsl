/* tilemark {
  "name": "named", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "activations", "B": "weights", "C": "output" },
  "sizes": { "rows": "m", "cols": "n", "inner": "k", "row_stride": "k" },
  "covers": { "rows": 16, "cols": 16 }
} */
struct Meta { rows: u32, cols: u32, inner: u32, row_stride: u32 }
@group(0) @binding(0) var<storage, read_write> weights: array<f32>;
@group(0) @binding(1) var<storage, read_write> activations: array<f32>;
@group(1) @binding(0) var<storage, read_write> output: array<f32>;
@group(2) @binding(5) var<storage, read> info: Meta;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= info.rows || id.x >= info.cols) { return; }
  var sum = 0.0;
  for (var p = 0u; p < info.row_stride; p++) {
    sum += activations[id.y * info.row_stride + p] * weights[p * info.cols + id.x];
  }
  output[id.y * info.cols + id.x] = sum;
}
