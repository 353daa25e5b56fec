/* tilemark {
  "name": "template", "op": "matmul", "dtypes": ["f32"],
  "bindings": { "A": "a", "B": "b", "C": "c" },
  "placeholders": { "{{ M }}": "m", "{{ N }}": "n", "{{ K }}": "k", "{{ elem }}": { "text": "f32" }, "{{ SIDE }}": "SIDE" },
  "tunables": { "SIDE": [16, 8] },
  "covers": { "rows": "SIDE", "cols": "SIDE" }
} */
@group(0) @binding(0) var<storage, read> a: array<{{ elem }}>;
@group(0) @binding(1) var<storage, read> b: array<{{ elem }}>;
@group(0) @binding(2) var<storage, read_write> c: array<{{ elem }}>;

@compute @workgroup_size({{ SIDE }}, {{ SIDE }})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= {{ M }}u || id.x >= {{ N }}u) { return; }
  var sum = 0.0;
  for (var p = 0u; p < {{ K }}u; p++) {
    sum += a[id.y * {{ K }}u + p] * b[p * {{ N }}u + id.x];
  }
  c[id.y * {{ N }}u + id.x] = sum;
}
