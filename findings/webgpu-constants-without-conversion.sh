#!/bin/sh
# webgpu (npm, 0.6.2) takes numbers alone as pipeline constants. WebIDL converts what a record of doubles is
# given, so `constants: { 7: true }` for an `override` of bool, and a number in a string, are valid
# WebGPU, which browsers and Deno (npm deno 2.9.6) take; the bindings of Dawn for Node throw a TypeError
# "no overload matched" instead, which names neither the constant nor what to do. The natural way to
# write a bool override is what fails: write 1 and 0.
#
# Output seen on 2026-11-30, Node 20.20.2:
#   1: pipeline
#   true: TypeError: no overload matched for createComputePipeline:
#   "1": TypeError: no overload matched for createComputePipeline:
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent webgpu@0.6.2
cat > run.mjs <<'JS'
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const device = await (await gpu.requestAdapter()).requestDevice();
const module = device.createShaderModule({
  code: `@id(7) override is_large: bool = false;
@group(0) @binding(0) var<storage, read_write> x: u32;
@compute @workgroup_size(1) fn main() { x = u32(is_large); }`,
});
const found = [1, true, '1'].map((value) => {
  let made = 'pipeline';
  try {
    device.createComputePipeline({ layout: 'auto', compute: { module, constants: { 7: value } } });
  } catch (error) {
    made = `${error.name}: ${error.message.split('\n')[0]}`;
  }
  console.log(`${JSON.stringify(value)}: ${made}`);
  return made;
});
const refused = 'TypeError: no overload matched for createComputePipeline:';
process.exit(found.join('|') === ['pipeline', refused, refused].join('|') ? 0 : 1);
JS
node run.mjs
