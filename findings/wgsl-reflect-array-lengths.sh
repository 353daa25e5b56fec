#!/bin/sh
# wgsl_reflect 1.6.0 works out the length of an array from most constant expressions, but not from all,
# and does not say so: a shift in parentheses has length 0, an element of a constant array 1, where the
# bare shift and a vector's component are right. Sizes of buffers made from it are then wrong: 0 and
# 16 bytes here, in place of 64 and 80.
#
# Output seen on 2026-11-29, Node 20.20.2:
#   16 >> 2 as a const: 4
#   16 >> 2 in parentheses: 0
#   vec2u(3, 5).y as a const: 5
#   array(3u, 5u)[1] as a const: 1
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent wgsl_reflect@1.6.0
cat > run.mjs <<'JS'
import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';

const lengthOf = (declaration, length) => {
  const source = `${declaration} @group(0) @binding(0) var<uniform> u: array<vec4f, ${length}>;`;
  return new WgslReflect(source).getBindGroups()[0][0].count;
};
const rows = [
  ['16 >> 2 as a const', lengthOf('const N = 16 >> 2;', 'N'), 4],
  ['16 >> 2 in parentheses', lengthOf('', '(16 >> 2)'), 0],
  ['vec2u(3, 5).y as a const', lengthOf('const N = vec2u(3, 5);', 'N.y'), 5],
  ['array(3u, 5u)[1] as a const', lengthOf('const N = array(3u, 5u);', 'N[1]'), 1],
];
for (const [name, length] of rows) console.log(`${name}: ${length}`);
process.exit(rows.every(([, length, seen]) => length === seen) ? 0 : 1);
JS
node run.mjs
