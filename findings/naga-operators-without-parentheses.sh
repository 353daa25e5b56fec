#!/bin/sh
# naga (npm naga-wasm 30.1.0) reads parentheses otherwise than WGSL and Tint (npm webgpu 0.6.2) do, in
# both directions.
#
# It compiles operators that WGSL does not let stand side by side without parentheses, grouped as in C:
# & beside |, && beside ||, shifts beside sums or each other, comparisons of comparisons. Tint refuses
# all of them, so a shader that Firefox and Deno run may not compile in Chrome.
#
# And it takes parentheses right after const_assert for const_assert's own: `const_assert (1 + 1) == 2;`
# is valid WGSL, which Tint compiles, but naga expects a semicolon behind the parenthesis. `if` and
# `while` are not read so. Once more around the whole, both take it.
#
# Output seen on 2026-11-30, Node 20.20.2:
#   a & b | c                                  Tint no   naga yes
#   a << b + c                                 Tint no   naga yes
#   a << b << c                                Tint no   naga yes
#   select(0u, 1u, a < b == (b < c))           Tint no   naga yes
#   select(0u, 1u, a < b && b < c || c < a)    Tint no   naga yes
#   const_assert (1 + 1) == 2;                 Tint yes  naga no
#   const_assert ((1 + 1) == 2);               Tint yes  naga yes
#   if (a + 1u) == b { a = c; }                Tint yes  naga yes
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
const device = await (await gpu.requestAdapter()).requestDevice();

async function tintCompiles(code) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  return messages.every(({ type }) => type !== 'error');
}
function nagaCompiles(code) {
  try {
    validate(parseWgsl(code));
    return true;
  } catch {
    return false;
  }
}

const inFunction = (body) => `fn f() -> u32 { var a = 1u; var b = 2u; var c = 3u; ${body} }`;
const value = (expression) => [expression, inFunction(`return ${expression};`)];
const SEEN = [
  [...value('a & b | c'), false, true],
  [...value('a << b + c'), false, true],
  [...value('a << b << c'), false, true],
  [...value('select(0u, 1u, a < b == (b < c))'), false, true],
  [...value('select(0u, 1u, a < b && b < c || c < a)'), false, true],
  ...['const_assert (1 + 1) == 2;', 'const_assert ((1 + 1) == 2);'].map((text, i) => [text, text, true, i === 1]),
  ['if (a + 1u) == b { a = c; }', inFunction('if (a + 1u) == b { a = c; } return a;'), true, true],
];
let same = true;
const word = (compiles) => (compiles ? 'yes' : 'no ');
for (const [shown, code, tint, naga] of SEEN) {
  const found = [await tintCompiles(code), nagaCompiles(code)];
  same &&= found[0] === tint && found[1] === naga;
  console.log(`${shown.padEnd(42)} Tint ${word(found[0])}  naga ${word(found[1])}`);
}
process.exit(same ? 0 : 1);
JS
node run.mjs
