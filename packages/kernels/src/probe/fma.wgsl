// probe/fma: multiply-adds in registers and nothing else. Its rate is the device's peak;
// a fixed small one is the canary that tells when the device has slowed down.
//
// bindings  0 results, one a thread   1 factor and addend
// tunables  WORKGROUP  threads in a workgroup
//           TURNS      turns of the loop: 2 x 4 x 8 x TURNS operations a thread
//
//   a = a * f + s    eight chains of vec4, each waiting only for itself: enough
//   b = b * f + s    in flight to hide the latency of an operation
//   ...

struct Step { factor: f32, addend: f32 }

@group(0) @binding(0) var<storage, read_write> results: array<T>;
@group(0) @binding(1) var<uniform> by: Step;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u) {
  // From a uniform, so that the compiler cannot work the sums out itself.
  let f = vec4<T>(T(by.factor));
  let s = vec4<T>(T(by.addend));
  let start = vec4<T>(T(id.x % 64));
  var a = start;
  var b = start + s;
  var c = b + s;
  var d = c + s;
  var e = d + s;
  var g = e + s;
  var h = g + s;
  var i = h + s;
  for (var turn = 0u; turn < TURNS; turn++) {
    a = multiply_add(a, f, s);
    b = multiply_add(b, f, s);
    c = multiply_add(c, f, s);
    d = multiply_add(d, f, s);
    e = multiply_add(e, f, s);
    g = multiply_add(g, f, s);
    h = multiply_add(h, f, s);
    i = multiply_add(i, f, s);
  }
  let sum = a + b + c + d + e + g + h + i;
  results[id.x] = sum.x + sum.y + sum.z + sum.w;
}
