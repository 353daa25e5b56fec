// Finds the word nearest to the content in which a guard has changed, on either side.
//
// bindings  0 part of a buffer as words   1 where the guard is   2 the count and the nearest places

struct Guard {
  // Words of the binding that are guards: from the first, up to the end.
  first: u32, end: u32,
  // Index of the binding's first word in the buffer.
  offset: u32,
  // 1: the first word's lower half belongs to the content.
  halves: u32,
  guard: u32,
}
struct Finding { changed: atomic<u32>, least: atomic<u32>, most: atomic<u32> }

@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<uniform> region: Guard;
@group(0) @binding(2) var<storage, read_write> finding: Finding;

fn hash32(value: u32) -> u32 {
  var x = value;
  x = (x ^ (x >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = region.first + id.x; i < region.end; i += groups.x * 256u) {
    var differ = words[i] ^ hash32((i + region.offset) ^ region.guard);
    if (i == region.first && region.halves == 1u) { differ &= 0xffff0000u; }
    if (differ != 0u) {
      atomicAdd(&finding.changed, 1u);
      // Complemented, so that the finding can begin with zeros.
      atomicMax(&finding.least, ~(i + region.offset));
      atomicMax(&finding.most, i + region.offset);
    }
  }
}
