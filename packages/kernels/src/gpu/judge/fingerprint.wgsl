// Two sums over the words of an output, each mixed with its place: equal for equal bits, and for others
// by a chance of 2^-64.
//
// bindings  0 the output as words   1 which of them   2 the sums

struct Region { first: u32, end: u32 }

@group(0) @binding(0) var<storage, read> output: array<u32>;
@group(0) @binding(1) var<uniform> region: Region;
@group(0) @binding(2) var<storage, read_write> sums: array<atomic<u32>, 2>;

fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

@compute @workgroup_size(256)
fn main(
  @builtin(workgroup_id) group: vec3u,
  @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) thread: u32,
) {
  var one = 0u;
  var other = 0u;
  for (var i = region.first + group.x * 256u + thread; i < region.end; i += groups.x * 256u) {
    let mixed = hash32(output[i] ^ hash32(i));
    one += mixed;
    other += hash32(mixed + i);
  }
  atomicAdd(&sums[0], one);
  atomicAdd(&sums[1], other);
}
