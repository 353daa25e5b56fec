// probe/copy: moves a working set again and again. Its rate as the set grows is the
// bandwidth of each level of memory, and where it falls is where a cache ends.
//
// bindings  0 from   1 to, as long   2 how to go over them
// tunables  WORKGROUP  threads in a workgroup
//
//   from  |0 1 2 3 ... threads-1|0 1 2 ...|     step after step, all threads
//   to    |0 1 2 3 ... threads-1|0 1 2 ...|     together, around the end

struct Walk { vectors: u32, steps: u32 }

@group(0) @binding(0) var<storage, read> original: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4f>;
@group(0) @binding(2) var<uniform> walk: Walk;

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let threads = groups.x * WORKGROUP;
  for (var step = 0u; step < walk.steps; step++) {
    // Differs from step to step, so that no load can be moved out of the loop.
    let i = (id.x + step * threads) % walk.vectors;
    copied[i] = original[i];
  }
}
