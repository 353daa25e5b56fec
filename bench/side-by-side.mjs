#!/usr/bin/env node
// Our kernels and the vendor's library on one machine in one run, taking turns.
// A row that names no variant takes the one that --tuned holds for its problem and profile.
// --largest caps the sides of all shapes and --policy smoke takes few samples: to try it where
// there is no GPU, without a verdict on the goals. Where the other side is not to be had (no
// PyTorch, no CUDA) the table says so and gives our figures alone. --rows is matched against
// '<op> <shape> <dtype> <against> <variant>', before --largest. --libraries adds rows beside
// other WGSL libraries, from what bench/libraries/build.mjs makes.
// Each of our figures is a run of `tilemark bench` (the whole protocol, verified before and
// after); the vendor's come from vendor.py, by the same protocol on the same inputs.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { chosen } from './chosen.mjs';
import { compared, verdictOf } from './compared.mjs';
import { countOf, flagsOf } from './flags.mjs';
import { COPY, LIBRARY_ROWS, ROWS } from './rows.mjs';
import { BUNDLED, bench, capped, headLine, variantFlags } from './tilemark.mjs';
import { SHIPPED, tunedVariant } from './tuned.mjs';

const USAGE = `usage: node bench/side-by-side.mjs [--rounds 2] [--rows REGEXP] [--python python3]
       [--tilemark apps/worker/dist/main.mjs] [--out docs/results/FILE.json]
       [--libraries bench/libraries/dist/libraries.mjs] [--largest 65536] [--policy default]
       [--tuned packages/core/src/tuned/nvidia-h200.json]`;
const flags = flagsOf(USAGE, {
  rounds: '2',
  rows: '',
  python: 'python3',
  largest: '65536',
  policy: 'default',
  tilemark: BUNDLED,
  libraries: undefined,
  tuned: SHIPPED,
  out: undefined,
});
const roundCount = countOf(flags, 'rounds');
const largest = countOf(flags, 'largest');
const print = (text) => process.stdout.write(`${text}\n`);

/** What could change our numbers, by profile. */
const environments = {};

/** One of our variants by the whole protocol: the cold series. */
async function ours(variant, { shape, dtype }, profile) {
  const { environment, results } = await bench(flags.tilemark, [
    ...variantFlags(variant),
    ...['--shape', shape, '--dtype', dtype, '--profile', profile, '--device', 'auto'],
    ...['--policy', flags.policy],
  ]);
  environments[profile] = environment;
  const { outcome } = results[0];
  if (outcome.kind !== 'measured') {
    throw new Error(
      `${outcome.kind}: ${outcome.why ?? outcome.message ?? JSON.stringify(outcome)}`,
    );
  }
  const { cold, stop, unranked, verification } = outcome.measurement;
  return {
    medianNs: cold.medianNs,
    intervalNs: [cold.lowNs, cold.highNs],
    cv: cold.cv,
    samples: cold.n,
    stop,
    unranked,
    verified: verification.after.method,
  };
}

/**
 * The other side: a process that answers a line with a line, started when first asked.
 * Once it has ended it is absent, which `measure` answers with null and `absence` explains.
 */
function openOther(name, command, args) {
  let child = null;
  let lines = null;
  let said = '';
  let absence = null;
  return {
    get absence() {
      return absence;
    },
    async measure(question) {
      if (absence) return null;
      if (!child) {
        child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
        // Not found, or ended: the answer that is missing tells.
        child.on('error', (error) => {
          said += String(error);
        });
        child.stderr.on('data', (text) => {
          said += text;
        });
        child.stdin.on('error', () => undefined);
        lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      }
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) {
        absence = `${name} was not measured: ${said.trim().split('\n').at(-1)}`;
        return null;
      }
      const answer = JSON.parse(value);
      if (answer.error) throw new Error(answer.error);
      return answer;
    },
    close: () => child?.stdin.end(),
  };
}

/** A row's problem as the other sides take it; none of them tells f16's two sums apart. */
function questionOf({ op, shape, dtype }) {
  const given = shape.split('x').map(Number);
  const sizes = given.length > 1 ? given : Array(op === 'matmul' ? 3 : 2).fill(given[0]);
  return { op, sizes, dtype: dtype === 'f16acc16' ? 'f16' : dtype };
}

/** Operations (matmul) or bytes (transpose, copy) of a row. */
function workOf({ op, shape, dtype }) {
  const sizes = shape.split('x').map(Number);
  const [a, b = a, c = a] = sizes;
  return op === 'matmul' ? 2 * a * b * c : 2 * a * b * (dtype.startsWith('f16') ? 2 : 4);
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

/** Measures both sides of a row in turn, `rounds` times. */
async function measureRow(row, { vendor, libraries }) {
  const profile = row.profile ?? 'fast';
  const against = {
    vendor: () => vendor.measure(questionOf(row)),
    tfjs: () => libraries.measure({ library: 'tfjs', ...questionOf(row) }),
    jax: () => libraries.measure({ library: 'jax', ...questionOf(row) }),
    copy: () => ours(COPY, row, profile),
    fast: () => ours(row.fast, row, 'fast'),
  }[row.against];
  const rounds = [];
  for (let round = 0; round < roundCount; round++) {
    const mine = await ours(row.variant, row, profile);
    const other = await against();
    rounds.push({ ours: mine, other, ...(other && compared(mine, other, row)) });
  }
  return { ...row, profile, work: workOf(row), rounds };
}

/** '48.50 ±0.1' in TFLOP/s or GB/s: the middle round, the widest half interval of all. */
function rateText({ op, work, rounds }, side) {
  if (rounds.some((round) => !round[side])) return 'not measured';
  const scale = op === 'matmul' ? 1e3 : 1;
  const rates = rounds.map((round) => work / round[side].medianNs / scale);
  const halves = rounds.map(({ [side]: { medianNs, intervalNs } }, i) => {
    const [low, high] = intervalNs;
    return (rates[i] * (high - low)) / 2 / medianNs;
  });
  const unit = op === 'matmul' ? 'TFLOP/s' : 'GB/s';
  return `${median(rates).toPrecision(4)} ±${Math.max(...halves).toPrecision(2)} ${unit}`;
}

const OTHERS = {
  vendor: 'cuBLAS',
  tfjs: 'TensorFlow.js',
  jax: 'jax-js',
  copy: 'copy',
  fast: 'own fast',
};

function tableLine(row) {
  const measured = row.rounds.filter(({ ratio }) => ratio !== undefined);
  const ratios = measured.map(({ ratio, ratioInterval: [low, high] }) => {
    return `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
  });
  return `| ${[
    `${row.op} ${row.shape} ${row.dtype} ${row.profile}`,
    row.variant,
    rateText(row, 'ours'),
    `${OTHERS[row.against]} ${rateText(row, 'other')}`,
    ratios.join(', '),
    row.goal.toFixed(2),
    verdictOf(measured.map(({ verdict }) => verdict)),
  ].join(' | ')} |`;
}

const tuned = JSON.parse(await readFile(flags.tuned, 'utf8'));
const named = [...ROWS, ...(flags.libraries ? LIBRARY_ROWS : [])].map((row) => ({
  ...row,
  variant: row.variant ?? tunedVariant(tuned, row),
  fast: row.against === 'fast' && tunedVariant(tuned, { ...row, profile: 'fast' }),
}));
const nameOf = ({ op, shape, dtype, against, variant }) =>
  [op, shape, dtype, against, variant].join(' ');
const rows = chosen(named, nameOf, { flag: '--rows', pattern: flags.rows }).map((row) => {
  const shape = capped(row.shape, largest);
  return { ...row, shape, isCapped: shape !== row.shape };
});
const others = {
  vendor: openOther('cuBLAS', flags.python, [new URL('./vendor.py', import.meta.url).pathname]),
  libraries: openOther('the libraries', process.execPath, [flags.libraries ?? '']),
};
const done = [];
try {
  for (const row of rows) {
    const result = await measureRow(row, others).catch((error) => ({
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
    print(result.error ? `| ${problem} | ${row.variant} | ${result.error} |` : tableLine(result));
    if (flags.out) {
      const file = { date: new Date().toISOString(), environments, results: done };
      await writeFile(flags.out, `${JSON.stringify(file, null, 1)}\n`);
    }
  }
  const absences = Object.values(others).flatMap(({ absence }) => absence ?? []);
  if (absences.length > 0) print(`\n${absences.join('\n')}`);
} finally {
  for (const other of Object.values(others)) other.close();
}
