/* tilemark {
  "name": "overrides", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "a", "B": "b", "C": "c" },
  "sizes": { "M": "m", "N": "n", "K": "k" },
  "tunables": { "TILE": [16, 8] },
  "covers": { "rows": "TILE", "cols": "TILE" }
} */
override M: u32;
override N: u32;
@id(3) override K: u32;
const TILE = 16u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= M || id.x >= N) { return; }
  var sum = 0.0;
  for (var p = 0u; p < K; p++) {
    sum += a[id.y * K + p] * b[p * N + id.x];
  }
  c[id.y * N + id.x] = sum;
}
