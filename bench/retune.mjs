#!/usr/bin/env node
// What the tuner finds by itself, from a cold start, of the variants that ship: for each of
// them a search of its own, and the shipped one measured beside what was found.
// --rows is matched against '<op> <shape> <dtype> <profile>'. --save collects the winners as
// `tilemark tune --save` does. --largest caps the sides of all shapes, to try it on any device.
// A search counts as successful when what it found is the shipped variant or as fast as it:
// within half a percent, less than which the leaderboard does not tell apart.
import { readFile, writeFile } from 'node:fs/promises';
import { chosen } from './chosen.mjs';
import { compared } from './compared.mjs';
import { countOf, flagsOf } from './flags.mjs';
import { BUNDLED, bench, capped, headLine, tune, variantFlags } from './tilemark.mjs';
import { SHIPPED } from './tuned.mjs';

const USAGE = `usage: node bench/retune.mjs [--budget 5m] [--rows REGEXP] [--save FILE.json] [--out FILE.json]
       [--tuned packages/core/src/tuned/nvidia-h200.json] [--largest 65536]
       [--tilemark apps/worker/dist/main.mjs]`;
const flags = flagsOf(USAGE, {
  budget: '5m',
  rows: '',
  tuned: SHIPPED,
  largest: '65536',
  tilemark: BUNDLED,
  save: undefined,
  out: undefined,
});
const largest = countOf(flags, 'largest');

/** The least part of the shipped variant's rate that counts as found. */
const AS_FAST = 0.995;

/** What the verdict on that goal says here. */
const VERDICTS = { met: 'as fast', 'not met': 'slower' };

const print = (text) => process.stdout.write(`${text}\n`);

/** What a table says of a run that was measured; throws Error of any other. */
function sideOf({ address, outcome, rate }) {
  if (outcome.kind !== 'measured') {
    throw new Error(`${address}: ${outcome.why ?? outcome.message ?? outcome.kind}`);
  }
  const { cold, unranked } = outcome.measurement;
  const { medianNs, lowNs, highNs } = cold;
  return { address, rate, medianNs, intervalNs: [lowNs, highNs], unranked };
}

async function retuned({ problem, profile, address }) {
  const { op, dtype } = problem;
  const given = Object.values(problem.shape).join('x');
  const shape = capped(given, largest);
  const asked = ['--shape', shape, '--dtype', dtype, '--profile', profile, '--device', 'auto'];
  const save = flags.save ? ['--save', flags.save] : [];
  const search = await tune(flags.tilemark, [
    ...['--op', op, ...asked, '--budget', flags.budget, ...save],
  ]);
  const { environment, results } = await bench(flags.tilemark, [
    ...[...variantFlags(address), ...asked],
  ]);
  const screened = search.results.filter(({ policy }) => policy === 'screen').length;
  const [found, shipped] = [search.results[0], results[0]].map(sideOf);
  const isSame = found.address === shipped.address;
  const beside = compared(found, shipped, { goal: AS_FAST, isCapped: shape !== given });
  const verdict = isSame ? 'the shipped one' : (VERDICTS[beside.verdict] ?? beside.verdict);
  return {
    problem: `${op} ${shape} ${dtype} ${profile}`,
    environment,
    screened,
    found,
    shipped,
    ...beside,
    verdict,
  };
}

const { variants } = JSON.parse(await readFile(flags.tuned, 'utf8'));
const done = [];
const nameOf = ({ problem: { op, shape, dtype }, profile }) =>
  [op, Object.values(shape).join('x'), dtype, profile].join(' ');
for (const variant of chosen(variants, nameOf, { flag: '--rows', pattern: flags.rows })) {
  const name = nameOf(variant);
  const row = await retuned(variant).catch((error) => ({ problem: name, error: error.message }));
  if (done.length === 0) {
    if (row.environment) print(`${headLine(row.environment)}, budget ${flags.budget}\n`);
    print('| problem | screened | found | shipped | ratio and interval | verdict |');
    print('|---|---|---|---|---|---|');
  }
  done.push(row);
  print(row.error ? `| ${row.problem} | ${row.error} |` : lineOf(row));
  if (flags.out) await writeFile(flags.out, `${JSON.stringify({ results: done }, null, 1)}\n`);
}

function lineOf({ problem, screened, found, shipped, ratio, ratioInterval, verdict }) {
  const text = ({ rate, address }) => `${rate.value.toPrecision(4)} ${rate.unit} ${address}`;
  const interval = ratioInterval.map((bound) => bound.toFixed(3)).join(', ');
  const cells = [
    problem,
    screened,
    text(found),
    text(shipped),
    `${ratio.toFixed(3)} [${interval}]`,
    verdict,
  ];
  return `| ${cells.join(' | ')} |`;
}
