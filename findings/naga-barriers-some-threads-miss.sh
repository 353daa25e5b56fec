#!/bin/sh
# A workgroupBarrier that only some threads of a workgroup reach is a shader-creation error in WGSL.
# Tint (npm webgpu 0.6.2) names the line and the branch; naga (npm naga-wasm 30.1.0) accepts it, under
# `if` and behind an early return alike. So a kernel that was written against Firefox, wgpu, or Deno may
# not compile in Chrome.
# Dawn's null backend is enough: no GPU is used.
#
# Output seen on 2026-11-29, Node 20.20.2:
#   under if: naga accepts; Tint: 'workgroupBarrier' must only be called from uniform control flow
#   after return: naga accepts; Tint: 'workgroupBarrier' must only be called from uniform control flow
#   by all: naga accepts; Tint: accepts
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
const shader = (body) => `@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
  ${body}
  x[lane] = lane;
}`;
async function tint(source) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code: source }).getCompilationInfo();
  await device.popErrorScope();
  return messages.find(({ type }) => type === 'error')?.message.split('\n')[0] ?? 'accepts';
}
function naga(source) {
  try {
    validate(parseWgsl(source));
    return 'accepts';
  } catch (error) {
    return error.message;
  }
}
const cases = {
  'under if': 'if (lane < 32u) { workgroupBarrier(); }',
  'after return': 'if (lane >= 32u) { return; } workgroupBarrier();',
  'by all': 'workgroupBarrier();',
};
const seen = [];
for (const [name, body] of Object.entries(cases)) {
  const said = [naga(shader(body)), await tint(shader(body))];
  seen.push(said);
  console.log(`${name}: naga ${said[0]}; Tint: ${said[1]}`);
}
const refuses = (text) => text.includes('uniform control flow');
const isAsSeen =
  seen.every(([read]) => read === 'accepts') &&
  refuses(seen[0][1]) && refuses(seen[1][1]) && seen[2][1] === 'accepts';
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs 2>/dev/null
