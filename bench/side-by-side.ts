// Our kernels and the vendor's library on one machine, measured alternately in one run.
// Where both sides are ours under one profile, each round is a duel: A B B A in one process, with the
// interval of the ratio. Other sides live in processes of their own, so their ratio is that of the
// medians of two runs, one after the other, with the interval of both.
// A row without a variant uses the tuned one of its problem and profile.
// --largest caps the sides of all shapes and --policy smoke takes few samples: together they allow
// a trial without a GPU, without verdicts on the goals. If the other side is unavailable (no
// PyTorch, no CUDA), the table says so and gives only our figures. --rows is matched against
// '<op> <shape> <dtype> <against> <variant>', before --largest. --libraries adds rows beside
// other WGSL libraries, from what bench/libraries/build.mjs makes. --search measures other rows: what
// the tuner finds in that time from a cold start for each variant that ships, beside the shipped one;
// --save collects what was found in a folder, as `tilemark tune --save` does in files. --suite measures what the selector
// answers on shapes of families instead, and prints the goals' table.
// Each of our figures is a run of `tilemark bench` (the whole protocol, verified before and
// after); the vendor's come from vendor.py, by the same protocol on the same inputs.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type BenchFile, type Duel, type Environment, POLICY_IDS, PROFILES } from '@tilemark/core';
import { DTYPES, isByRows, opById } from '@tilemark/kernels';
import { type Comparison, compare, type Ratio, type Side, verdictOf } from './compare';
import { choiceOf, countOf, flagsOf, matching } from './flags';
import { OtherSide } from './other-side';
import {
  COPY,
  evidenceFile,
  LIBRARY_ROWS,
  ROWS,
  type Row,
  searchRow,
  tunedAddress,
  tunedVariants,
} from './side-by-side-rows';
import { besideSuites } from './side-by-side-suites';
import { capped, headLine, results, TILEMARK, tilemark, variantFlags } from './tilemark';

const USAGE = `usage: node apps/worker/dist/bench/side-by-side.mjs [--rounds 2] [--rows REGEXP]
       [--python python3] [--libraries bench/libraries/dist/libraries.mjs] [--largest 16777216]
       [--search 5m [--save FOLDER]] [--policy default, or screen with --suite]
       [--suite odd-shapes,... [--seconds 250] [--profile fast]]
       [--tuned FOLDER (default: as shipped)] [--out FILE.json]
       [--tilemark apps/worker/dist/main.mjs]`;
const flags = flagsOf(USAGE, {
  rounds: '2',
  rows: '',
  python: 'python3',
  largest: '16777216',
  policy: undefined,
  tilemark: TILEMARK,
  libraries: undefined,
  search: undefined,
  suite: undefined,
  seconds: '250',
  profile: 'fast',
  save: undefined,
  tuned: undefined,
  out: undefined,
});
const roundCount = countOf(flags, 'rounds');
const largest = countOf(flags, 'largest');
const print = (text: string) => process.stdout.write(`${text}\n`);

/** A row with its variants resolved, at the shape to measure. */
interface Asked extends Row {
  readonly variant: string;
  /** The tuned variant under `fast`, for rows compared with it. */
  readonly fast: string;
  readonly profile: string;
  readonly isCapped: boolean;
}

/** What `tilemark duel --json` writes. */
interface DuelFile {
  readonly environment: Environment;
  readonly duel: Duel;
}

interface Round extends Partial<Comparison> {
  readonly ours: Side;
  readonly other: Side | null;
}

interface MeasuredRow extends Asked {
  /** Operations (matmul) or bytes (transpose, copy). */
  readonly work: number;
  readonly rounds: readonly Round[];
}

/** What could change our numbers, by profile. */
const environments: Record<string, Environment> = {};

const problemFlags = ({ shape, dtype }: Row, profile: string) => [
  ...['--shape', shape, '--dtype', dtype, '--profile', profile, '--device', 'auto'],
];

/** Measures one of our variants with the full protocol; returns its cold series. */
async function ours(variant: string, row: Row, profile: string) {
  return firstSide(
    await results(flags.tilemark, 'bench', [
      ...[
        ...variantFlags(variant),
        ...problemFlags(row, profile),
        '--policy',
        flags.policy ?? 'default',
      ],
    ]),
  );
}

/** What a search finds for a row. */
async function found(row: Asked) {
  return firstSide(
    await results(flags.tilemark, 'tune', [
      ...['--op', row.op, ...problemFlags(row, row.profile), '--budget', flags.search ?? ''],
      ...(flags.save ? ['--save', evidenceFile(flags.save, row)] : []),
    ]),
  );
}

/** A duel of a variant with another under the row's profile. */
async function dueled(variant: string, row: Asked, other: string): Promise<Round> {
  const duel = ['duel', variant, other, ...problemFlags(row, row.profile)];
  const file = (await tilemark(flags.tilemark, duel)) as DuelFile;
  environments[row.profile] = file.environment;
  const sideOf = (address: string, { implausible, ...series }: DuelFile['duel']['a']) => ({
    ...{ address, medianNs: series.medianNs, intervalNs: [series.lowNs, series.highNs] as const },
    ...{ cv: series.cv, samples: series.n, stop: file.duel.stop, unranked: implausible },
  });
  const [mine, theirs] = [sideOf(variant, file.duel.a), sideOf(other, file.duel.b)];
  return { ours: mine, other: theirs, ...compare(mine, theirs, row, file.duel satisfies Ratio) };
}

function firstSide({ environment, results }: BenchFile) {
  const [result] = results;
  environments[environment.profile] = environment;
  if (result?.outcome?.kind !== 'measured') throw new Error(JSON.stringify(result?.outcome));
  const { cold, stop, unranked, verification } = result.outcome.measurement;
  return {
    address: result.address,
    tried: results.filter(({ policy }) => policy === 'screen').length,
    medianNs: cold.medianNs,
    intervalNs: [cold.lowNs, cold.highNs] as const,
    cv: cold.cv,
    samples: cold.n,
    stop,
    unranked,
    verified: verification.after.method,
  };
}

const vendorProgram = fileURLToPath(new URL('./vendor.py', import.meta.url));
const vendor = new OtherSide('cuBLAS', [flags.python, vendorProgram]);
const libraries = new OtherSide('the libraries', [process.execPath, flags.libraries ?? '']);

/** The sides of a shape: a single number is all of them. */
function sizesOf({ op, shape }: Pick<Row, 'op' | 'shape'>): number[] {
  const sizes = shape.split('x').map(Number);
  return sizes.length > 1 ? sizes : Array(op === 'matmul' ? 3 : 2).fill(sizes[0]);
}

/** A row's problem as the other sides take it; they have only one kind of f16. */
const questionOf = ({ op, shape, dtype }: Pick<Row, 'op' | 'shape' | 'dtype'>) => ({
  op,
  sizes: sizesOf({ op, shape }),
  dtype: DTYPES[dtype].element,
  transposed: isByRows(dtype),
});

/** The other side: one to measure, or the variant to duel with. */
type Other =
  | { readonly name: string; readonly measure: (row: Asked) => Promise<Side | null> }
  | { readonly name: string; readonly variant: (row: Asked) => string };

const OTHERS: Readonly<Record<Row['against'], Other>> = {
  vendor: { name: 'cuBLAS', measure: (row) => vendor.measure(questionOf(row)) },
  tfjs: {
    name: 'TensorFlow.js',
    measure: (row) => libraries.measure({ library: 'tfjs', ...questionOf(row) }),
  },
  jax: {
    name: 'jax-js',
    measure: (row) => libraries.measure({ library: 'jax', ...questionOf(row) }),
  },
  copy: { name: 'copy', variant: () => COPY },
  fast: { name: 'own fast', measure: (row) => ours(row.fast, row, 'fast') },
  shipped: { name: 'shipped', variant: ({ variant }) => variant },
};

function absentLibraries() {
  const why = libraries.absence ?? '--libraries was not given';
  return { tfjs: why, ort: why };
}

/** `--suite`. */
async function suites(ids: string): Promise<void> {
  await besideSuites({
    suites: ids,
    rounds: roundCount,
    ...{ seconds: countOf(flags, 'seconds'), largest, program: flags.tilemark, print },
    profile: choiceOf(flags, 'profile', PROFILES),
    policy: choiceOf({ policy: flags.policy ?? 'screen' }, 'policy', POLICY_IDS),
    others: async (against, problem) => {
      const shape = opById(problem.op).sides(problem.shape).join('x');
      const question = { ...questionOf({ ...problem, shape }), quick: true };
      if (against === 'vendor') return vendor.measure(question);
      return flags.libraries ? libraries.measure({ library: against, ...question }) : null;
    },
    absences: () => ({
      ...(vendor.absence && { vendor: vendor.absence }),
      ...((libraries.absence || !flags.libraries) && absentLibraries()),
    }),
    save: async (environment, results) => {
      const file = { date: new Date().toISOString(), environment, results };
      if (flags.out) await writeFile(flags.out, `${JSON.stringify(file, null, 1)}\n`);
    },
  });
}

/** Measures both sides of a row alternately, `rounds` times. */
async function measureRow(row: Asked): Promise<MeasuredRow> {
  const rounds: Round[] = [];
  const against = OTHERS[row.against];
  const tried = row.against === 'shipped' ? await found(row) : null;
  const variant = tried?.address ?? row.variant;
  for (let round = 0; round < roundCount; round++) {
    if ('variant' in against) {
      const { ours: side, ...rest } = await dueled(variant, row, against.variant(row));
      rounds.push({ ours: { ...side, ...(tried && { tried: tried.tried }) }, ...rest });
    } else {
      const mine = await ours(variant, row, row.profile);
      const other = await against.measure(row);
      rounds.push({ ours: mine, other, ...(other && compare(mine, other, row)) });
    }
  }
  const elements = sizesOf(row).reduce((product, size) => product * size);
  const work = row.op === 'matmul' ? 2 * elements : 2 * elements * (row.dtype === 'f32' ? 4 : 2);
  return { ...row, variant, work, rounds };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return (at((sorted.length - 1) >> 1) + at(sorted.length >> 1)) / 2;
}

/** '48.50 ±0.1' in TFLOP/s or GB/s: the median round, with the widest half interval of all rounds. */
function rateText({ op, work, rounds }: MeasuredRow, side: 'ours' | 'other'): string {
  const sides = rounds.flatMap((round) => round[side] ?? []);
  if (sides.length < rounds.length) return 'not measured';
  const scale = op === 'matmul' ? 1e3 : 1;
  const rates = sides.map(({ medianNs }) => work / medianNs / scale);
  const halves = sides.map(({ medianNs, intervalNs: [low, high] }) => {
    return ((work / medianNs / scale) * (high - low)) / 2 / medianNs;
  });
  const unit = op === 'matmul' ? 'TFLOP/s' : 'GB/s';
  return `${median(rates).toPrecision(4)} ±${Math.max(...halves).toPrecision(2)} ${unit}`;
}

function tableLine(row: MeasuredRow): string {
  const ratios = row.rounds.flatMap(({ ratio, ratioInterval }) => {
    const interval = ratioInterval?.map((bound) => bound.toFixed(3)).join(', ');
    return ratio === undefined ? [] : [`${ratio.toFixed(3)} [${interval}]`];
  });
  return `| ${[
    `${row.op} ${row.shape} ${row.dtype} ${row.profile}`,
    row.variant,
    rateText(row, 'ours'),
    `${OTHERS[row.against].name} ${rateText(row, 'other')}`,
    ratios.join(', '),
    row.goal,
    verdictOf(row.rounds.flatMap(({ verdict }) => verdict ?? [])),
  ].join(' | ')} |`;
}

if (flags.suite !== undefined) {
  try {
    await suites(flags.suite);
  } finally {
    vendor.close();
    libraries.close();
  }
  process.exit(0);
}

if (flags.save) await mkdir(flags.save, { recursive: true });
const tuned = await tunedVariants(flags.tuned);
const asked: readonly Row[] = flags.search
  ? tuned.map(({ problem, profile }) => searchRow(problem, profile))
  : [...ROWS, ...(flags.libraries ? LIBRARY_ROWS : [])];
const named = asked.map((row) => {
  const { profile = 'fast', variant = tunedAddress(tuned, row) } = row;
  const fast = row.against === 'fast' ? tunedAddress(tuned, { ...row, profile: 'fast' }) : '';
  return { ...row, profile, variant, fast };
});
const nameOf = ({ op, shape, dtype, against, variant }: Row) =>
  [op, shape, dtype, against, variant].join(' ');
const rows = matching(named, nameOf, { flag: '--rows', pattern: flags.rows }).map((row) => {
  const shape = capped(row.shape, largest);
  return { ...row, shape, isCapped: shape !== row.shape };
});
const done: unknown[] = [];
try {
  for (const row of rows) {
    const result = await measureRow(row).catch((error: Error) => ({
      ...row,
      error: error.message,
    }));
    if (done.length === 0) {
      const [environment] = Object.values(environments);
      if (environment) print(`${headLine(environment)}\n`);
      print(
        '| problem | variant | ours | other | ratio and interval, round by round | goal | verdict |',
      );
      print('|---|---|---|---|---|---|---|');
    }
    done.push(result);
    const problem = `${row.op} ${row.shape} ${row.dtype}`;
    print(
      'error' in result ? `| ${problem} | ${row.variant} | ${result.error} |` : tableLine(result),
    );
    if (flags.out) {
      const file = { date: new Date().toISOString(), environments, results: done };
      await writeFile(flags.out, `${JSON.stringify(file, null, 1)}\n`);
    }
  }
  const absences = [vendor, libraries].flatMap(({ absence }) => absence ?? []);
  if (absences.length > 0) print(`\n${absences.join('\n')}`);
} finally {
  vendor.close();
  libraries.close();
}
