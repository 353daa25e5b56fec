// Whether ranks are stable on this machine: measures the same variants again and again, each time in
// a process of its own, and judges all pairs by the rule of the leaderboard.
// - Equal: two invocations of one variant, each a headline by itself, must never be ranked apart.
// - Separable: two variants of which one was FAST in one repeat must not be SLOW in another.
// With the spread that the board itself would know from these invocations, and with the prior.
// The flags in --bench go to `tilemark bench`. --from continues from the file of earlier repeats.
import { readFile, writeFile } from 'node:fs/promises';
import {
  contrast,
  type DeviceClass,
  type Headline,
  headline,
  type Series,
  type Spread,
  spreadOfRepeats,
  spreadPrior,
  type Verdict,
} from '@tilemark/core';
import { countOf, flagsOf } from './flags';
import { headLine, results, TILEMARK } from './tilemark';

const USAGE = `usage: node apps/worker/dist/bench/repeats.mjs [--repeats 20] [--out FILE.json] [--from FILE.json]
       [--bench='--suite layouts --param n=4096'] [--tilemark apps/worker/dist/main.mjs]`;
const flags = flagsOf(USAGE, {
  repeats: '20',
  bench: '--suite layouts --param n=4096',
  tilemark: TILEMARK,
  out: undefined,
  from: undefined,
});
const repeats = countOf(flags, 'repeats');
const print = (text: string) => process.stdout.write(`${text}\n`);

/** Of the device that was measured; for a file of earlier repeats alone, a GPU's. */
let deviceClass: DeviceClass = 'gpu';

/** Medians and intervals of one variant on one problem, a repeat each; without samples. */
interface Repeated {
  readonly of: string;
  readonly runs: readonly Pick<Series, 'medianNs' | 'lowNs' | 'highNs' | 'n'>[];
}

async function measured(): Promise<Repeated[]> {
  const before: Repeated[] = flags.from ? JSON.parse(await readFile(flags.from, 'utf8')) : [];
  const found = new Map(before.map(({ of, runs }) => [of, runs]));
  const first = Math.min(...(before.length ? before.map(({ runs }) => runs.length) : [0]));
  for (let repeat = first; repeat < repeats; repeat++) {
    const args = ['--device', 'auto', ...flags.bench.split(' ')];
    const file = await results(flags.tilemark, 'bench', args);
    deviceClass = file.environment.device.class;
    if (repeat === first) print(`${headLine(file.environment)}, bench ${flags.bench}\n`);
    for (const { address, problem, profile, outcome } of file.results) {
      const of = [address, Object.values(problem.shape).join('x'), problem.dtype, profile].join(
        ' ',
      );
      if (outcome?.kind === 'skipped') continue;
      if (outcome?.kind !== 'measured') throw new Error(`${of}: ${JSON.stringify(outcome)}`);
      const { cold, unranked } = outcome.measurement;
      if (unranked !== null) print(`repeat ${repeat + 1}: ${of} is not ranked: ${unranked}`);
      const { medianNs, lowNs, highNs, n } = cold;
      found.set(of, [...(found.get(of) ?? []), { medianNs, lowNs, highNs, n }]);
    }
    process.stderr.write(`repeat ${repeat + 1} of ${repeats}\n`);
    if (flags.out) await writeFile(flags.out, `${JSON.stringify(listed(found))}\n`);
  }
  return listed(found);
}

const listed = (found: ReadonlyMap<string, Repeated['runs']>): Repeated[] =>
  [...found].map(([of, runs]) => ({ of, runs }));

const all = await measured();
const spread = spreadOfRepeats(
  deviceClass,
  all.map(({ runs }) => headline(runs)),
);
const percent = (part: number) => `${(100 * part).toFixed(3)}%`;

print('| variant | runs | median of medians, ns | spread of medians | farthest apart |');
print('|---|---|---|---|---|');
for (const { of, runs } of all) {
  const { medianNs, spread: own } = headline(runs);
  const medians = runs.map((run) => run.medianNs);
  const apart = Math.max(...medians) / Math.min(...medians) - 1;
  const cells = [of, runs.length, medianNs.toPrecision(6), percent(own ?? 0), percent(apart)];
  print(`| ${cells.join(' | ')} |`);
}
print(`\nSpread known of the device: ${percent(spread.relative)}.\n`);

/** Verdicts on pairs of equal headlines, and on the order of variants, repeat by repeat. */
function judged(heads: readonly (readonly Headline[])[]) {
  const equal = { pairs: 0, apart: 0 };
  const order = { pairs: 0, separable: 0, reversed: 0, steady: 0 };
  for (const [a, ofA] of heads.entries()) {
    for (const [i, one] of ofA.entries()) {
      for (const other of ofA.slice(i + 1)) {
        equal.pairs++;
        if (isApart(contrast(one, other).verdict)) equal.apart++;
      }
    }
    for (const ofB of heads.slice(a + 1)) {
      const verdicts = ofA.flatMap((one, i) => (ofB[i] ? [contrast(one, ofB[i]).verdict] : []));
      const kinds = new Set(verdicts);
      order.pairs++;
      if (kinds.has('FAST') || kinds.has('SLOW')) order.separable++;
      if (kinds.has('FAST') && kinds.has('SLOW')) order.reversed++;
      if (kinds.size === 1 && isApart(verdicts[0])) order.steady++;
    }
  }
  return { equal, order };
}

const isApart = (verdict: Verdict | undefined) => verdict === 'FAST' || verdict === 'SLOW';

/** Headlines of so many consecutive invocations each. */
const headlines = (of: number, known: Spread) =>
  all.map(({ runs }) =>
    Array.from({ length: Math.floor(runs.length / of) }, (_, i) =>
      headline(runs.slice(i * of, (i + 1) * of), known),
    ),
  );

print(
  '| headlines | pairs of one variant | ranked apart | pairs of variants | ever ranked apart | in every repeat | order reversed |',
);
print('|---|---|---|---|---|---|---|');
let isStable = true;
for (const [known, what] of [
  [spreadPrior(deviceClass), 'the prior'],
  [spread, 'the known spread'],
] as const) {
  for (const of of [1, 5]) {
    const { equal, order } = judged(headlines(of, known));
    isStable &&= equal.apart === 0 && order.reversed === 0;
    const cells = [equal.pairs, equal.apart, order.pairs, order.separable, order.steady];
    const name = `of ${of} invocation${of > 1 ? 's' : ''}, with ${what}`;
    print(`| ${[name, ...cells, order.reversed].join(' | ')} |`);
  }
}
print(`\n${isStable ? 'Stable' : 'NOT STABLE'}: ${all.length} variants, ${repeats} repeats.`);
process.exitCode = isStable ? 0 : 1;
