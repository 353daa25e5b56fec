/* tilemark {
  "name": "one-row", "op": "matmul", "dtypes": ["f16"],
  "bindings": { "A": "a", "B": "b", "C": "c" },
  "requires": [{ "that": "m == 1", "because": "a vector by a matrix" }],
  "multiples": { "n": 4 },
  "workgroups": ["n / 4"]
} */
enable f16;
diagnostic(off, derivative_uniformity);
struct Params { n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f16>>;
@group(0) @binding(3) var<uniform> params: Params;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
  let quarter = params.n / 4;
  var sum = vec4<f32>();
  for (var p = 0u; p < params.k; p++) {
    sum += f32(a[p]) * vec4<f32>(b[p * quarter + group.x]);
  }
  c[group.x] = vec4<f16>(sum);
}
