#!/bin/sh
# naga (npm naga-wasm 30.1.0) evaluates only some of WGSL's constant built-in functions. pow, dot,
# select and firstLeadingBit may initialise a module's `const`; bitcast, unpack2x16float and transpose,
# which WGSL and Tint allow there too, may not. So a table of halves or of bit patterns that compiles in
# Chrome does not in Firefox. In the body of a function bitcast and unpack2x16float of literals compile;
# transpose does once its matrix has a concrete type (mat2x2f).
#
# Output seen on 2026-11-29, Node 20.20.2:
#   pow, dot, select, firstLeadingBit: accepted
#   bitcast: Not implemented as constant expression: bitcast built-in function
#   unpack2x16float: Not implemented as constant expression: Unpack2x16float built-in function
#   transpose: Not implemented as constant expression: Transpose built-in function
#   in a function: accepted
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent naga-wasm@30.1.0
cat > run.mjs <<'JS'
import { parseWgsl, validate } from 'naga-wasm';

const read = (source) => {
  try {
    validate(parseWgsl(source));
    return 'accepted';
  } catch (error) {
    return error.message;
  }
};
const OUT = '@group(0) @binding(0) var<storage, read_write> x: array<f32>;';
const inModule = (value) =>
  read(`const c = ${value}; ${OUT} @compute @workgroup_size(1) fn main() { x[0] = f32(c); }`);
const taken = {
  pow: 'pow(2.0, 10.0)',
  dot: 'dot(vec3(1.0, 2.0, 3.0), vec3(1.0))',
  select: 'select(1.0, 2.0, true)',
  firstLeadingBit: 'firstLeadingBit(64u)',
};
const refused = {
  bitcast: 'bitcast<f32>(0x3f800000u)',
  unpack2x16float: 'unpack2x16float(0x3c003c00u).x',
  transpose: 'transpose(mat2x2f(1.0, 2.0, 3.0, 4.0))[0][0]',
};
const results = Object.values(taken).map(inModule);
console.log(`${Object.keys(taken).join(', ')}: ${[...new Set(results)].join('; ')}`);
const refusals = Object.entries(refused).map(([name, value]) => {
  const answer = inModule(value);
  console.log(`${name}: ${answer}`);
  return answer;
});
const inFunction = Object.values(refused).map((value) =>
  read(`${OUT} @compute @workgroup_size(1) fn main() { let c = ${value}; x[0] = c; }`),
);
console.log(`in a function: ${[...new Set(inFunction)].join('; ')}`);
const isAsSeen =
  results.every((answer) => answer === 'accepted') &&
  refusals.every((answer) => answer.includes('Not implemented as constant expression')) &&
  inFunction.every((answer) => answer === 'accepted');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
