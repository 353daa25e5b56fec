#!/bin/sh
# naga (npm naga-wasm 30.1.0) reads bitcast<vec4<f16>>(vec2u) as bitcast<vec2<f32>>: it keeps the number
# of components of the operand, and takes 32 bits for each. So the first half of a word pair comes out
# as a whole f32 without an error, while a third component "does not exist". WGSL makes four halves of
# two words, and Tint does. unpack2x16float gives the same halves in both compilers.
#
# Output seen on 2026-11-29, Node 20.20.2:
#   let h: vec2<f32> = bitcast<vec2<f32>>(y[0])
#   fourth half: invalid field accessor `w`
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent naga-wasm@30.1.0
cat > run.mjs <<'JS'
import { parseWgsl, validate, writeWgsl } from 'naga-wasm';

const shader = (component) => `enable f16;
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<vec2u>;
@compute @workgroup_size(1) fn main() {
  let h = bitcast<vec4<f16>>(y[0]);
  x[0] = f32(h.${component});
}`;
const module = parseWgsl(shader('x'));
const text = writeWgsl(module, validate(module));
let refusal = 'accepted';
try {
  parseWgsl(shader('w'));
} catch (error) {
  refusal = error.message;
}
console.log(text.split('\n').find((line) => line.includes('bitcast')).trim());
console.log(`fourth half: ${refusal}`);
const isAsSeen = text.includes('bitcast<vec2<f32>>') && refusal.includes('invalid field accessor');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
