#!/bin/sh
# A kernel whose uniform buffer holds array<f32, 4> or array<u32, 4> compiles in Chrome and not in
# Firefox. Tint (npm webgpu 0.6.2) implements WGSL's `uniform_buffer_standard_layout`, with which
# uniform buffers are laid out as storage buffers are, and takes such arrays without any directive.
# naga (npm naga-wasm 30.1.0) demands a stride of 16 bytes, and refuses the directive as well.
# array<vec4f, N>, and single members, compile in both. Dawn's null backend is enough: no GPU is used.
#
# Output seen on 2026-11-29, Node 20.20.2:
#   array<f32, 4>: Tint accepts; naga: The array stride 4 is not a multiple of the required alignment 16
#   requires uniform_buffer_standard_layout: Tint accepts; naga refuses
#   array<vec4f, 1>: Tint accepts; naga accepts
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent naga-wasm@30.1.0 webgpu@0.6.2
cat > run.mjs <<'JS'
import { parseWgsl, validate } from 'naga-wasm';
import { create } from 'webgpu';

const gpu = create(['backend=null']);
const device = await (await gpu.requestAdapter()).requestDevice();

const shader = (type, directive = '') => `${directive}
struct Sizes { values: ${type} }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(1) fn main() { x[0] = f32(sizes.values[0].x); }`;

async function tint(source) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: source });
  const { messages } = await module.getCompilationInfo();
  await device.popErrorScope();
  return messages.find(({ type }) => type === 'error')?.message ?? 'accepts';
}
function naga(source) {
  try {
    validate(parseWgsl(source));
    return 'accepts';
  } catch (error) {
    return error.formatted.split('\n').findLast((line) => line.startsWith('  = '))?.slice(4) ?? 'refuses';
  }
}
const scalars = shader('array<f32, 4>').replace('[0].x', '[0]');
const asked = `requires uniform_buffer_standard_layout;${scalars}`;
const vectors = shader('array<vec4f, 1>');
const seen = [];
for (const source of [scalars, asked, vectors]) seen.push([await tint(source), naga(source)]);
console.log(`array<f32, 4>: Tint ${seen[0][0]}; naga: ${seen[0][1]}`);
console.log(`requires uniform_buffer_standard_layout: Tint ${seen[1][0]}; naga ${seen[1][1] === 'accepts' ? 'accepts' : 'refuses'}`);
console.log(`array<vec4f, 1>: Tint ${seen[2][0]}; naga ${seen[2][1]}`);
const isAsSeen =
  seen.every(([tinted]) => tinted === 'accepts') &&
  seen[0][1].includes('stride 4 is not a multiple') &&
  seen[1][1] !== 'accepts' &&
  seen[2][1] === 'accepts';
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs 2>/dev/null
