// Writes POISON_WORD over a whole buffer: the output and the canary behind it.
//
// bindings  0 the buffer as words

@group(0) @binding(0) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < arrayLength(&words); i += groups.x * 256u) {
    words[i] = POISON_WORD;
  }
}
