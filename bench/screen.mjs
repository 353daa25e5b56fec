#!/usr/bin/env node
// Designs, each verified and screened (few samples: good for telling designs apart and no
// more). Of each list, problem and profile the fastest comes first, with the 95% interval of
// its median and its part of the best rate.
// --lists is matched against the names of the lists. --largest caps the sides of all shapes:
// with 128 every design runs on a software GPU. All lists: 116 runs, one or two seconds each
// on an NVIDIA H200.
import { writeFileSync } from 'node:fs';
import { chosen } from './chosen.mjs';
import { countOf, flagsOf } from './flags.mjs';
import { LISTS } from './lists.mjs';
import { groups } from './screened.mjs';
import { BUNDLED, bench, capped, headLine } from './tilemark.mjs';

const USAGE = `usage: node bench/screen.mjs [--lists REGEXP] [--largest 65536] [--out FILE.json]
       [--tilemark apps/worker/dist/main.mjs]`;
const flags = flagsOf(USAGE, {
  lists: '',
  largest: '65536',
  tilemark: BUNDLED,
  out: undefined,
});
const largest = countOf(flags, 'largest');

const print = (text) => process.stdout.write(`${text}\n`);

/** '48500 GFLOP/s ±0.41%', or why there is no figure. */
function figure({ rate, outcome }) {
  if (!rate) return [outcome.kind, outcome.why ?? outcome.message ?? 'wrong'].join(': ');
  const { medianNs, lowNs, highNs } = outcome.measurement.cold;
  const half = (100 * (highNs - lowNs)) / 2 / medianNs;
  return `${rate.value.toPrecision(4)} ${rate.unit} ±${half.toFixed(2)}%`;
}

const all = [];
let isHeaded = false;
for (const list of chosen(LISTS, ({ name }) => name, { flag: '--lists', pattern: flags.lists })) {
  const { name, kernel, shapes, dtype, profile, tunables } = list;
  const { environment, results } = await bench(flags.tilemark, [
    ...['--kernel', kernel, '--tunable', ...tunables],
    ...['--shape', capped(shapes, largest), '--dtype', dtype],
    ...['--profile', profile, '--device', 'auto', '--policy', 'screen'],
  ]);
  if (!isHeaded) print(headLine(environment));
  isHeaded = true;
  print(`\n${name}`);
  all.push(...results.map((result) => ({ list: name, ...result })));
  for (const group of groups(results)) {
    for (const { result, ofBest } of group) {
      const sizes = Object.values(result.problem.shape).join('x');
      const part = ofBest === null ? '     ' : ofBest.toFixed(3);
      print(`${part}  ${figure(result)}  ${sizes} ${result.profile}  ${result.address}`);
    }
  }
  if (flags.out)
    writeFileSync(flags.out, `${JSON.stringify({ environment, results: all }, null, 1)}\n`);
}
