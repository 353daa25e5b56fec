#!/usr/bin/env node
// Designs that have not been measured on the device yet, each verified and screened (few
// samples: good for telling designs apart and no more), the fastest of each list first.
// usage: node bench/screen.mjs [--lists REGEXP] [--tilemark apps/worker/dist/main.mjs]
//        [--out FILE.json]
// All lists: about 110 runs; at 2 s each on an NVIDIA H200, under 4 minutes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    lists: { type: 'string', default: '' },
    tilemark: {
      type: 'string',
      default: new URL('../apps/worker/dist/main.mjs', import.meta.url).pathname,
    },
    out: { type: 'string' },
  },
});

const WARPS = ['BM=128', 'BN=128', 'BK=16', 'TM=8', 'TN=16', 'UNROLL=16'];
const STAGING = ['A_TILE=padded,swizzled', 'LOADS=ahead,spread', 'TILE_LOOP=to-k,bounded'];
const ORDERS = 'ORDER=rows-first,cols-first,diagonal,bands';

/** Each list is one run of `tilemark bench`, all combinations of its tunables. */
const LISTS = [
  {
    name: 'f32 staging: swizzled A, loads between steps, a loop without a counter',
    args: [
      'matmul/warp-tile',
      '4096',
      'f32',
      'fast,default',
      [...WARPS, 'LANES_DOWN=4', ...STAGING],
    ],
  },
  {
    name: 'f32 lanes: the order of LANES_DOWN=8 has changed since the last protocol run',
    args: [
      'matmul/warp-tile',
      '4096',
      'f32',
      'fast',
      [...WARPS, 'LANES_DOWN=8', 'A_TILE=padded,swizzled'],
    ],
  },
  {
    name: 'f32 stream-k: the last round shared',
    args: [
      'matmul/stream-k',
      '4096,8192',
      'f32',
      'fast',
      [...WARPS, 'LANES_DOWN=4', 'WAVE=132,264', 'TILE_LOOP=to-k,bounded'],
    ],
  },
  {
    name: 'f32 stream-k on small and skinny shapes',
    args: [
      'matmul/stream-k',
      '1024,1000,64x4096x4096,4096x4096x64',
      'f32',
      'fast',
      ['BM=64,128', 'BN=64', 'BK=16', 'TM=8', 'TN=8', 'UNROLL=16', 'LANES_DOWN=4', 'WAVE=132,264'],
    ],
  },
  {
    name: 'f32 Strassen',
    args: [
      'matmul/strassen',
      '2048,4096,8192',
      'f32',
      'fast',
      [...WARPS, 'LANES_DOWN=4', 'TILE_LOOP=to-k,bounded'],
    ],
  },
  {
    name: 'f16 with sums in f16',
    args: [
      'matmul/subgroup-matrix',
      '4096',
      'f16acc16',
      'fast',
      ['BM=128,256', 'BN=128,256', 'BK=32', 'WM=64,128', 'WN=64', 'LOADS=ahead,halfway'],
    ],
  },
  {
    name: 'f16 with sums in f32, loads after half of the steps',
    args: [
      'matmul/subgroup-matrix',
      '4096',
      'f16',
      'fast',
      ['BM=128', 'BN=128', 'BK=32', 'WM=64', 'WN=64', 'LOADS=ahead,halfway'],
    ],
  },
  {
    name: 'transposes: the order of tiles',
    args: [
      'transpose/swizzled',
      '8192,16384',
      'f32',
      'fast',
      ['TILE_ROWS=32,64', 'TILE_COLS=64', 'THREADS_Y=8,16', ORDERS],
    ],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'screen-'));
const all = [];
for (const { name, args } of LISTS) {
  if (!new RegExp(flags.lists).test(name)) continue;
  const [kernel, shape, dtype, profile, tunables] = args;
  const json = join(folder, 'results.json');
  const command = ['bench', '--kernel', kernel, '--tunable', ...tunables];
  const rest = ['--shape', shape, '--dtype', dtype, '--profile', profile, '--device', 'auto'];
  const files = ['--policy', 'screen', '--json', json];
  spawnSync(process.execPath, [flags.tilemark, ...command, ...rest, ...files], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { results } = JSON.parse(readFileSync(json, 'utf8'));
  rmSync(json);
  all.push(...results.map((result) => ({ list: name, ...result })));
  process.stdout.write(`\n${name}\n`);
  const ordered = results.toSorted((a, b) => (b.rate?.value ?? 0) - (a.rate?.value ?? 0));
  for (const { address, problem, profile: under, rate, outcome } of ordered) {
    const figure = rate ? `${rate.value.toFixed(0)} ${rate.unit}` : JSON.stringify(outcome);
    const sizes = Object.values(problem.shape).join('x');
    process.stdout.write(`${figure}  ${sizes} ${under}  ${address}\n`);
  }
  if (flags.out) writeFileSync(flags.out, `${JSON.stringify(all, null, 1)}\n`);
}
rmSync(folder, { recursive: true });
