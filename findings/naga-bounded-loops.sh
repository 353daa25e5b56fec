#!/bin/sh
# naga (npm naga-wasm 30.1.0) gives every loop a counter of 64 bits, in two words, and leaves the loop
# once it has run out: in MSL, in HLSL, and in SPIR-V, and also where the loop's own bound is a
# constant. Four turns in the source become a `while (true)` that compares and subtracts a uint2 in
# each turn. Loops that are written out in the source have none, which is what makes kernels with
# short inner loops several times slower in Firefox and Deno than in Chrome. The wasm has no option
# that turns it off.
#
# Output seen on 2026-11-29, Node 20.20.2:
#   MSL: counters 2, HLSL: counters 2, SPIR-V: counters 2
#   written out: 0, 0, 0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent naga-wasm@30.1.0
cat > run.mjs <<'JS'
import { parseSpirv, parseWgsl, validate, writeHlsl, writeMsl, writeSpirv, writeWgsl } from 'naga-wasm';

const shader = (body) => `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { var sum = 0u; ${body} x[0] = sum; }`;
const turn = (i) => `sum += x[${i}];`;
const loop = shader(`for (var a = 0u; a < 2u; a++) { for (var b = 0u; b < 2u; b++) { ${turn('2u * a + b')} } }`);
const written = shader([0, 1, 2, 3].map((i) => turn(`${i}u`)).join(' '));

const count = (text, counter) => text.match(counter)?.length ?? 0;
function counters(source) {
  const module = parseWgsl(source);
  const info = validate(module);
  // SPIR-V is read back, and so becomes a text in which its counters are variables.
  const back = parseSpirv(writeSpirv(module, info));
  return [
    count(writeMsl(module, info), /uint2 loop_bound\w* = uint2\(4294967295u\)/g),
    count(writeHlsl(module, info), /uint2 loop_bound\w* = uint2\(4294967295u, 4294967295u\)/g),
    count(writeWgsl(back, validate(back)), /var \w+: vec2<u32> = vec2<u32>\(4294967295u, 4294967295u\)/g),
  ];
}
const [msl, hlsl, spirv] = counters(loop);
const none = counters(written);
console.log(`MSL: counters ${msl}, HLSL: counters ${hlsl}, SPIR-V: counters ${spirv}`);
console.log(`written out: ${none.join(', ')}`);
process.exit([msl, hlsl, spirv].every((each) => each === 2) && none.every((each) => each === 0) ? 0 : 1);
JS
node run.mjs
