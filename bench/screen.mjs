#!/usr/bin/env node
// Designs that have not been measured on the device yet, each verified and screened (few
// samples: good for telling designs apart and no more), the fastest of each list first, with
// the 95% interval of its median and its part of the list's best rate.
// usage: node bench/screen.mjs [--lists REGEXP] [--largest 65536] [--out FILE.json]
//        [--tilemark apps/worker/dist/main.mjs]
// --lists is matched against the names of the lists. --largest caps the sides of all shapes:
// with 128 every design runs on a software GPU. All lists: about 110 runs; at 2 s each on an
// NVIDIA H200, under 4 minutes.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BUNDLED, bench, capped, headLine } from './tilemark.mjs';

const { values: flags } = parseArgs({
  options: {
    lists: { type: 'string', default: '' },
    largest: { type: 'string', default: '65536' },
    tilemark: { type: 'string', default: BUNDLED },
    out: { type: 'string' },
  },
});

const print = (text) => process.stdout.write(`${text}\n`);

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

/** '48500 GFLOP/s ±0.41%', or why there is no figure. */
function figure({ rate, outcome }) {
  if (!rate) return [outcome.kind, outcome.why ?? outcome.message ?? 'wrong'].join(': ');
  const { medianNs, lowNs, highNs } = outcome.measurement.cold;
  const half = (100 * (highNs - lowNs)) / 2 / medianNs;
  return `${rate.value.toPrecision(4)} ${rate.unit} ±${half.toFixed(2)}%`;
}

const all = [];
let isHeaded = false;
for (const { name, args } of LISTS) {
  if (!new RegExp(flags.lists).test(name)) continue;
  const [kernel, shapes, dtype, profile, tunables] = args;
  const { environment, results } = await bench(flags.tilemark, [
    ...['--kernel', kernel, '--tunable', ...tunables],
    ...['--shape', capped(shapes, Number(flags.largest)), '--dtype', dtype],
    ...['--profile', profile, '--device', 'auto', '--policy', 'screen'],
  ]);
  if (!isHeaded) print(headLine(environment));
  isHeaded = true;
  print(`\n${name}`);
  all.push(...results.map((result) => ({ list: name, ...result })));
  const ordered = results.toSorted((a, b) => (b.rate?.value ?? 0) - (a.rate?.value ?? 0));
  const [best] = ordered;
  for (const result of ordered) {
    const ofBest = result.rate ? (result.rate.value / best.rate.value).toFixed(3) : '     ';
    const sizes = Object.values(result.problem.shape).join('x');
    print(`${ofBest}  ${figure(result)}  ${sizes} ${result.profile}  ${result.address}`);
  }
  if (flags.out)
    writeFileSync(flags.out, `${JSON.stringify({ environment, results: all }, null, 1)}\n`);
}
