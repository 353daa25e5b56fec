#!/bin/sh
# Tint (npm webgpu 0.6.2) cuts constants down to halves where the hardware, and naga (npm naga-wasm
# 30.1.0), round to the nearest. 2051.0h is 2050, though 2052 is as near and even; 0.9998h is
# 0.99951171875, though 1 is four times nearer; what is below the least half is 0, however near it is;
# and 65519.0h is refused, which naga rounds to 65504. So it is in literals, in f16(...) of a constant, in
# quantizeToF16, and in pack2x16float: the same expression has other bits once its argument is no
# constant. WGSL allows either neighbour. The error is half a unit in the last place on the
# average, twice that of rounding, and always towards zero.
#
# Nothing is run: const_assert says it while compiling, on Dawn's null adapter.
#
# Output seen on 2026-11-30, Node 20.20.2:
#   constant         Tint             naga
#   2051.0           2050             2052
#   0.9998           0.99951171875    1
#   1.0009765        1                1.0009765625
#   5.9e-8           0                5.960464477539063e-8
#   65519.0          refused          65504
#   quantizeToF16(2051.0): 2050 in Tint
#   pack2x16float(vec2f(2051.0)) & 0xffff: 0x6801 in Tint
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent webgpu@0.6.2 naga-wasm@30.1.0
cat > run.mjs <<'JS'
import { parseWgsl, validate } from 'naga-wasm';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const gpu = create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shader-f16'] });

async function compilesInTint(code) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  return messages.every(({ type }) => type !== 'error');
}
async function compilesInNaga(code) {
  try {
    validate(parseWgsl(code));
    return true;
  } catch {
    return false;
  }
}

/** Of the values, the one that a constant has; undefined: of none, or it is refused. */
async function valueOf(constant, values, compiles) {
  const shader = (assertion) => `enable f16; const x = ${constant}; ${assertion}`;
  if (!(await compiles(shader('')))) return 'refused';
  for (const value of values) {
    if (await compiles(shader(`const_assert ${value} == x;`))) return value;
  }
}

const SEEN = [
  ['2051.0', [2050, 2052], 2050, 2052],
  ['0.9998', [0.99951171875, 1], 0.99951171875, 1],
  ['1.0009765', [1, 1.0009765625], 1, 1.0009765625],
  ['5.9e-8', [0, 2 ** -24], 0, 2 ** -24],
  ['65519.0', [65504], 'refused', 65504],
];
let same = true;
console.log('constant'.padEnd(17) + 'Tint'.padEnd(17) + 'naga');
for (const [literal, values, tint, naga] of SEEN) {
  const found = [];
  for (const compiles of [compilesInTint, compilesInNaga]) {
    found.push(await valueOf(`f32(${literal}h)`, values, compiles));
  }
  same &&= found[0] === tint && found[1] === naga;
  console.log(literal.padEnd(17) + String(found[0]).padEnd(17) + found[1]);
}
const quantised = await valueOf('quantizeToF16(2051.0)', [2050, 2052], compilesInTint);
const words = ['0x6801', '0x6802'];
const packed = await valueOf('pack2x16float(vec2f(2051.0)) & 0xffff', words, compilesInTint);
console.log(`quantizeToF16(2051.0): ${quantised} in Tint`);
console.log(`pack2x16float(vec2f(2051.0)) & 0xffff: ${packed} in Tint`);
process.exit(same && quantised === 2050 && packed === '0x6801' ? 0 : 1);
JS
node run.mjs
