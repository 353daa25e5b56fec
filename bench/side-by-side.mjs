#!/usr/bin/env node
// Our kernels and the vendor's library on one machine in one run, taking turns.
// usage: node bench/side-by-side.mjs [--rounds 2] [--rows REGEXP] [--python python3]
//        [--tilemark apps/worker/dist/main.mjs] [--out docs/results/FILE.json]
//        [--libraries bench/libraries/dist/libraries.mjs]
// --rows is matched against '<op> <shape> <dtype> <against>'. --libraries adds rows beside
// other WGSL libraries, from what bench/libraries/build.mjs makes.
// Each of our figures is a run of `tilemark bench` (protocol, verified before and
// after); the vendor's come from vendor.py by the same protocol on the same inputs.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';
import { COPY, LIBRARY_ROWS, ROWS } from './rows.mjs';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    rows: { type: 'string', default: '' },
    python: { type: 'string', default: 'python3' },
    tilemark: {
      type: 'string',
      default: new URL('../apps/worker/dist/main.mjs', import.meta.url).pathname,
    },
    libraries: { type: 'string' },
    out: { type: 'string' },
  },
});
const print = (text) => process.stdout.write(`${text}\n`);

/** 'a/b[X=1,Y=2]' as the flags of `tilemark bench`. */
function variantFlags(address) {
  const [, kernel, tunables = ''] = /^([^[]+)(?:\[(.*)\])?$/.exec(address) ?? [];
  const settings = tunables.split(',').filter(Boolean);
  return ['--kernel', kernel, ...(settings.length > 0 ? ['--tunable', ...settings] : [])];
}

/** What could change our numbers, by profile. */
const environments = {};

/** One run of `tilemark bench`: the cold series of its only result. */
async function ours(folder, variant, { shape, dtype }, profile) {
  const json = join(folder, 'result.json');
  const args = [...variantFlags(variant), '--shape', shape, '--dtype', dtype];
  const rest = ['--profile', profile, '--device', 'auto', '--json', json];
  await promisify(execFile)(process.execPath, [flags.tilemark, 'bench', ...args, ...rest], {
    maxBuffer: 2 ** 26,
  }).catch(() => undefined); // it exits with 1 on a wrong result, which the file tells, too
  const { environment, results } = JSON.parse(await readFile(json, 'utf8'));
  await rm(json);
  environments[profile] = environment;
  const { outcome } = results[0];
  if (outcome.kind !== 'measured') throw new Error(`${variant}: ${JSON.stringify(outcome)}`);
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

/** The other side: a process that answers a line with a line, started when first asked. */
function openOther(command, args, missing) {
  let child = null;
  let lines = null;
  return {
    async measure(question) {
      if (!child) {
        child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
        // Not found, or ended: the answer that is missing tells.
        child.on('error', () => undefined);
        child.stdin.on('error', () => undefined);
        lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      }
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} ${args.join(' ')} ended: ${missing}`);
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

/** Measures both sides of a row in turn; a verdict a round, so that rounds can be compared. */
async function measureRow(row, folder, { vendor, libraries }) {
  const profile = row.profile ?? 'fast';
  const against = {
    vendor: () => vendor.measure(questionOf(row)),
    tfjs: () => libraries.measure({ library: 'tfjs', ...questionOf(row) }),
    jax: () => libraries.measure({ library: 'jax', ...questionOf(row) }),
    copy: () => ours(folder, COPY, row, profile),
    fast: () => ours(folder, row.variant, row, 'fast'),
  }[row.against];
  const rounds = [];
  for (let round = 0; round < Number(flags.rounds); round++) {
    const mine = await ours(folder, row.variant, row, profile);
    const other = await against();
    rounds.push({ ours: mine, other, ratio: other.medianNs / mine.medianNs });
  }
  const ratio = median(rounds.map((round) => round.ratio));
  return { ...row, profile, work: workOf(row), rounds, ratio, met: ratio >= row.goal };
}

/** '48.5 ±0.1' in TFLOP/s or GB/s, the widest half interval of the rounds. */
function rateText({ op, work, rounds }, side) {
  const scale = op === 'matmul' ? 1e3 : 1;
  const rates = rounds.map((round) => work / round[side].medianNs / scale);
  const halves = rounds.map(({ [side]: { medianNs, intervalNs } }, i) => {
    const [low, high] = intervalNs;
    return (rates[i] * (high - low)) / 2 / medianNs;
  });
  return `${median(rates).toPrecision(4)} ±${Math.max(...halves).toPrecision(2)}`;
}

function tableLine(row) {
  const unit = row.op === 'matmul' ? 'TFLOP/s' : 'GB/s';
  const against = row.against === 'fast' ? 'own fast' : row.against;
  const ratios = row.rounds.map(({ ratio }) => ratio.toFixed(3)).join(' ');
  const cells = [`${row.op} ${row.shape} ${row.dtype} ${row.profile}`, row.variant];
  const figures = [`${rateText(row, 'ours')} ${unit}`, `${rateText(row, 'other')} (${against})`];
  const verdict = [ratios, row.goal.toFixed(2), row.met ? 'met' : 'not met'];
  return `| ${[...cells, ...figures, ...verdict].join(' | ')} |`;
}

const folder = await mkdtemp(join(tmpdir(), 'side-by-side-'));
const others = {
  vendor: openOther(
    flags.python,
    [new URL('./vendor.py', import.meta.url).pathname],
    'does it find PyTorch and a GPU?',
  ),
  libraries: openOther(process.execPath, [flags.libraries ?? ''], 'was it built?'),
};
const rows = [...ROWS, ...(flags.libraries ? LIBRARY_ROWS : [])];
const done = [];
try {
  print('| problem | variant | ours | other | ratio, round by round | goal | |');
  print('|---|---|---|---|---|---|---|');
  for (const row of rows) {
    const name = `${row.op} ${row.shape} ${row.dtype} ${row.against}`;
    if (!new RegExp(flags.rows).test(name)) continue;
    try {
      const result = await measureRow(row, folder, others);
      done.push(result);
      print(tableLine(result));
    } catch (error) {
      done.push({ ...row, error: String(error) });
      print(`| ${row.op} ${row.shape} ${row.dtype} | ${row.variant} | ${error} |`);
    }
    if (flags.out) {
      const file = { date: new Date().toISOString(), environments, results: done };
      await writeFile(flags.out, `${JSON.stringify(file, null, 1)}\n`);
    }
  }
} finally {
  for (const other of Object.values(others)) other.close();
  await rm(folder, { recursive: true, force: true });
}
