#!/bin/sh
# naga (npm naga-wasm 30.1.0) computes % and fma of constants exactly, but not those that it writes. 1e10
# % 3 in f32 is 1 as a constant expression, the exact remainder; at run time WGSL and naga's HLSL take
# x - y * trunc(x / y), whose quotient is rounded, and which is 0 here, while naga's MSL calls fmod, which
# is exact again. fma(0.1, 10, -1) is 1.49e-8 as a constant; naga's HLSL writes mad, which may round
# twice. Tint (npm webgpu 0.6.2) computes constants as it would at run time: 0 in both cases. So a value
# may change when an argument becomes a constant, and between the backends of one text.
#
# const_assert says it while compiling; nothing is run.
#
# Output seen on 2026-11-30, Node 20.20.2:
#   1e10f % 3f           naga 1                       Tint 0
#   fma(0.1f, 10f, -1f)  naga 1.4901161193847656e-8   Tint 0
#   at run time, HLSL: lhs - rhs * trunc(lhs / rhs), mad; MSL: metal::fmod, metal::fma
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent webgpu@0.6.2 naga-wasm@30.1.0
cat > run.mjs <<'JS'
import { parseWgsl, validate, writeHlsl, writeMsl } from 'naga-wasm';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const device = await (await gpu.requestAdapter()).requestDevice();

async function tintCompiles(code) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  return messages.every(({ type }) => type !== 'error');
}
async function nagaCompiles(code) {
  try {
    validate(parseWgsl(code));
    return true;
  } catch {
    return false;
  }
}

async function valueOf(expression, values, compiles) {
  for (const value of values) {
    if (await compiles(`const_assert ${expression} == ${value};`)) return value;
  }
}

const EXACT = 2 ** -26;
const SEEN = [
  ['1e10f % 3f', 1, 0],
  ['fma(0.1f, 10f, -1f)', EXACT, 0],
];
let same = true;
for (const [expression, exact, rounded] of SEEN) {
  const values = [exact, rounded];
  const naga = await valueOf(expression, values, nagaCompiles);
  const tint = await valueOf(expression, values, tintCompiles);
  same &&= naga === exact && tint === rounded;
  console.log(`${expression.padEnd(20)} naga ${String(naga).padEnd(22)}  Tint ${tint}`);
}

const module = parseWgsl(`@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(1) fn main() { x[0] = x[1] % x[2]; x[3] = fma(x[4], x[5], x[6]); }`);
const info = validate(module);
const [hlsl, msl] = [writeHlsl, writeMsl].map((write) => write(module, info));
const written = [
  hlsl.includes('lhs - rhs * trunc(lhs / rhs)') && /\bmad\(/.test(hlsl),
  msl.includes('metal::fmod(') && msl.includes('metal::fma('),
];
if (written.every(Boolean)) {
  console.log('at run time, HLSL: lhs - rhs * trunc(lhs / rhs), mad; MSL: metal::fmod, metal::fma');
}
process.exit(same && written.every(Boolean) ? 0 : 1);
JS
node run.mjs
