// What the tuner finds from a cold start for each variant that ships: a separate search,
// then the shipped variant measured beside what was found.
// --rows is matched against '<op> <shape> <dtype> <profile>'. --save collects the winners as
// `tilemark tune --save` does. --largest caps the sides of all shapes, to try it on any device.
// A search succeeds if it finds the shipped variant or one as fast: within half a percent,
// below which the leaderboard does not tell variants apart.
import { writeFile } from 'node:fs/promises';
import type { RunResult, TunedVariant } from '@tilemark/core';
import { type Comparison, compare, type Side } from './compare';
import { countOf, flagsOf, matching } from './flags';
import { capped, headLine, TILEMARK, tilemark, tunedVariants, variantFlags } from './tilemark';

const USAGE = `usage: node apps/worker/dist/bench/retune.mjs [--budget 5m] [--rows REGEXP]
       [--save FILE.json] [--out FILE.json] [--tuned FILE.json (default: as shipped)]
       [--largest 65536] [--tilemark apps/worker/dist/main.mjs]`;
const flags = flagsOf(USAGE, {
  budget: '5m',
  rows: '',
  tuned: undefined,
  largest: '65536',
  tilemark: TILEMARK,
  save: undefined,
  out: undefined,
});
const largest = countOf(flags, 'largest');

/** The smallest fraction of the shipped variant's rate that counts as found. */
const AS_FAST = 0.995;

/** The verdict on that goal, in this table's words. */
const VERDICTS: Readonly<Record<string, string>> = { met: 'as fast', 'not met': 'slower' };

const print = (text: string) => process.stdout.write(`${text}\n`);

interface MeasuredVariant extends Side, Pick<RunResult, 'address' | 'rate'> {}

/** A measured run as a side of the comparison; throws Error for any other. */
function sideOf(result: RunResult | undefined): MeasuredVariant {
  const { address, outcome, rate } = result ?? { address: 'the search', outcome: null, rate: null };
  if (outcome?.kind !== 'measured') {
    const why = outcome?.kind === 'skipped' ? outcome.why : outcome?.kind;
    throw new Error(`${address}: ${outcome?.kind === 'failed' ? outcome.message : why}`);
  }
  const { cold, unranked } = outcome.measurement;
  const { medianNs, lowNs, highNs } = cold;
  return { address, rate, medianNs, intervalNs: [lowNs, highNs], unranked };
}

async function retuned({ problem, profile, address }: TunedVariant) {
  const { op, dtype } = problem;
  const given = Object.values(problem.shape).join('x');
  const shape = capped(given, largest);
  const asked = ['--shape', shape, '--dtype', dtype, '--profile', profile, '--device', 'auto'];
  const save = flags.save ? ['--save', flags.save] : [];
  const search = await tilemark(flags.tilemark, 'tune', [
    ...['--op', op, ...asked, '--budget', flags.budget, ...save],
  ]);
  const { environment, results } = await tilemark(flags.tilemark, 'bench', [
    ...[...variantFlags(address), ...asked],
  ]);
  const screened = search.results.filter(({ policy }) => policy === 'screen').length;
  const found = sideOf(search.results[0]);
  const shipped = sideOf(results[0]);
  const isSame = found.address === shipped.address;
  const comparison = compare(found, shipped, { goal: AS_FAST, isCapped: shape !== given });
  const verdict = isSame ? 'the shipped one' : (VERDICTS[comparison.verdict] ?? comparison.verdict);
  const name = `${op} ${shape} ${dtype} ${profile}`;
  return { problem: name, environment, screened, found, shipped, ...comparison, verdict };
}

interface TableRow extends Comparison {
  readonly problem: string;
  readonly screened: number;
  readonly found: MeasuredVariant;
  readonly shipped: MeasuredVariant;
}

function tableLine({ problem, screened, found, shipped, ratio, ratioInterval, verdict }: TableRow) {
  const text = ({ rate, address }: MeasuredVariant) =>
    `${rate?.value.toPrecision(4)} ${rate?.unit} ${address}`;
  const interval = ratioInterval.map((bound) => bound.toFixed(3)).join(', ');
  const ratioText = `${ratio.toFixed(3)} [${interval}]`;
  return `| ${[problem, screened, text(found), text(shipped), ratioText, verdict].join(' | ')} |`;
}

const nameOf = ({ problem: { op, shape, dtype }, profile }: TunedVariant) =>
  [op, Object.values(shape).join('x'), dtype, profile].join(' ');
const variants = matching(await tunedVariants(flags.tuned), nameOf, {
  flag: '--rows',
  pattern: flags.rows,
});
const done: unknown[] = [];
for (const variant of variants) {
  const row = await retuned(variant).catch((error: Error) => ({
    problem: nameOf(variant),
    error: error.message,
  }));
  if (done.length === 0) {
    if ('environment' in row) print(`${headLine(row.environment)}, budget ${flags.budget}\n`);
    print('| problem | screened | found | shipped | ratio and interval | verdict |');
    print('|---|---|---|---|---|---|');
  }
  done.push(row);
  print('error' in row ? `| ${row.problem} | ${row.error} |` : tableLine(row));
  if (flags.out) await writeFile(flags.out, `${JSON.stringify({ results: done }, null, 1)}\n`);
}
