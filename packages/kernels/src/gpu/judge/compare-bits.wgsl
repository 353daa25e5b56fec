// Compares an output with its reference bit for bit. A workgroup counts the elements of its share
// that differ, in one record.
//
// bindings  0 the output as words   1 the reference as words   2 what is compared   3 the records
// The header declares HALVES: the elements are halves.

// `base`: elements of the output before those that `want` has.
struct Comparison { length: u32, share: u32, base: u32 }
// `first`: the first that differs, with its bits in both.
struct Record { beyond: u32, first: u32, got: u32, want: u32 }

@group(0) @binding(0) var<storage, read> output: array<u32>;
@group(0) @binding(1) var<storage, read> want: array<u32>;
@group(0) @binding(2) var<uniform> comparison: Comparison;
@group(0) @binding(3) var<storage, read_write> records: array<Record>;

var<workgroup> beyond: atomic<u32>;
var<workgroup> least: atomic<u32>;

fn got_at(i: u32) -> u32 {
  let at = i + comparison.base;
  if (HALVES) { return (output[at / 2u] >> (16u * (at % 2u))) & 0xffffu; }
  return output[at];
}

fn want_at(i: u32) -> u32 {
  if (HALVES) { return (want[i / 2u] >> (16u * (i % 2u))) & 0xffffu; }
  return want[i];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
  // Both, because a device may be told not to clear workgroup memory.
  if (thread == 0u) { atomicStore(&beyond, 0u); atomicStore(&least, 0xffffffffu); }
  workgroupBarrier();
  let first = group.x * comparison.share;
  let end = min(first + comparison.share, comparison.length);
  for (var i = first + thread; i < end; i += 256u) {
    if (got_at(i) != want_at(i)) { atomicAdd(&beyond, 1u); atomicMin(&least, i); }
  }
  workgroupBarrier();
  if (thread == 0u) {
    let at = min(atomicLoad(&least), comparison.length - 1u);
    records[group.x] = Record(atomicLoad(&beyond), atomicLoad(&least), got_at(at), want_at(at));
  }
}
