import { drawSeed, PROFILES, type Profile } from '@tilemark/core';
import { DTYPES, type Dtype, idsOf, KERNELS, REGIMES, type Regime } from '@tilemark/kernels';
import { Command, Option } from 'commander';
import { chooseDevice, openDevice } from '../apps/worker/src/device/select';
import { ALLOWED } from './mutants/allowed';
import { MUTANTS } from './mutants/kernels';
import { type Fate, fateOf, fateOfRight, problemOf } from './mutants/run';

interface Flags {
  readonly sizes?: string;
  readonly dtypes: string;
  readonly only: string;
  readonly regime?: Regime;
  readonly profile: Profile;
}

function flagsOf(): Flags {
  return new Command('mutants')
    .description('puts kernels that are wrong in one way each through whole runs')
    .option('--sizes <sizes>', 'MxNxK or a side, comma-separated (default: all for the device)')
    .option('--dtypes <types>', 'comma-separated', idsOf(DTYPES).join(','))
    .option('--only <regexp>', 'mutants and right kernels to try', '.')
    .addOption(new Option('--regime <regime>', 'how inputs are drawn').choices(idsOf(REGIMES)))
    .addOption(
      new Option('--profile <profile>', 'Dawn toggles; NVIDIA has f16 under fast alone')
        .choices(PROFILES)
        .default(PROFILES[0]),
    )
    .parse()
    .opts();
}

/** Threads of the host, which has no part here. */
const NO_THREADS = new URL('none:');

/**
 * Kernels that are wrong in one way each. Puts all of them through the whole
 * measurement of this machine's device and prints which are caught, and that the right kernels of
 * the catalogue pass: `npm run test:mutants -- --sizes 17x31x5,700 --dtypes f32 --only regexp`.
 * Exits with 1 if one is missed or a right one refused.
 */
async function printMutants(): Promise<void> {
  const flags = flagsOf();
  const only = new RegExp(flags.only);
  const device = await openDevice(await chooseDevice('auto'), flags.profile, NO_THREADS);
  const isGpu = device.identity.class === 'gpu';
  const sizes = (
    flags.sizes ??
    `17x31x5,48x64x40,5x33x20x24,96x80x4160,1x4096x1,700,1024${isGpu ? ',2048,4096' : ''}`
  ).split(',');
  const dtypes = flags.dtypes
    .split(',')
    .filter((dtype): dtype is Dtype => Object.hasOwn(DTYPES, dtype));

  const ofMutants = MUTANTS.filter(({ name }) => only.test(name));
  const right = KERNELS.filter(({ id, runsOn }) => runsOn === 'gpu' && only.test(id));
  const found: { readonly title: string; readonly mutants: Fate[]; readonly right: Fate[] }[] = [];
  for (const size of sizes) {
    for (const dtype of dtypes) {
      // One seed, so that the kernels of a column share their references.
      const seed = drawSeed();
      const beganMs = performance.now();
      const column = { title: `${size} ${dtype}`, mutants: [] as Fate[], right: [] as Fate[] };
      for (const mutant of ofMutants) {
        const problem = problemOf(mutant.kernel.op, size, dtype, flags.regime);
        column.mutants.push(await fateOf(device, mutant, problem, seed));
      }
      for (const kernel of right) {
        const problem = problemOf(kernel.op, size, dtype, flags.regime);
        column.right.push(await fateOfRight(device, kernel, problem, seed));
      }
      const seconds = ((performance.now() - beganMs) / 1e3).toFixed(0);
      process.stderr.write(`${column.title}: ${seconds} s\n`);
      found.push(column);
    }
  }

  const wrongVerdicts: string[] = [];
  print(`${device.identity.device}, profile ${flags.profile}\n`);
  printHead(['size, dtype', 'wrong kernels caught', 'right ones passed', 'their RMS errors']);
  const totals = { caught: 0, tried: 0 };
  for (const { title, mutants, right: fates } of found) {
    for (const [row, fate] of mutants.entries()) {
      if (fate.kind === 'passed') wrongVerdicts.push(`${ofMutants[row]?.name} passes at ${title}`);
    }
    for (const [row, fate] of fates.entries()) {
      if (fate.kind === 'caught') wrongVerdicts.push(`${right[row]?.id} at ${title}: ${fate.by}`);
    }
    const caught = countOf(mutants, 'caught');
    const tried = caught + countOf(mutants, 'passed');
    totals.caught += caught;
    totals.tried += tried;
    const passed = countOf(fates, 'passed');
    const all = passed + countOf(fates, 'caught');
    const errors = fates.flatMap((fate) => (fate.kind === 'passed' ? fate.rms : []));
    const ends = errors.length > 0 ? [Math.min(...errors), Math.max(...errors)] : [];
    const range = ends.map((rms) => rms.toPrecision(3)).join(' to ');
    printRow([title, `${caught} of ${tried}`, `${passed} of ${all}`, range]);
  }

  print('');
  printHead(['mutant', 'caught', 'how, first']);
  for (const [row, { name }] of ofMutants.entries()) {
    const fates = found.flatMap(({ mutants }) => mutants[row] ?? []);
    const how = fates.find((fate) => fate.kind === 'caught');
    const caught = countOf(fates, 'caught');
    const tried = caught + countOf(fates, 'passed');
    printRow([name, `${caught} of ${tried}`, how?.kind === 'caught' ? how.by : '']);
  }

  print('');
  printHead(['allowed', 'why']);
  for (const row of ALLOWED) printRow(row);

  print(`\n${totals.caught} of ${totals.tried} caught (${ofMutants.length} mutants).`);
  for (const line of wrongVerdicts) print(`wrong verdict: ${line}`);
  device.executor.destroy();
  process.exit(wrongVerdicts.length > 0 ? 1 : 0);
}

const countOf = (fates: readonly Fate[], kind: Fate['kind']) =>
  fates.filter((fate) => fate.kind === kind).length;

const print = (text: string) => void process.stdout.write(`${text}\n`);
const printRow = (cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);
function printHead(cells: readonly string[]): void {
  printRow(cells);
  print(`|${cells.map(() => '---|').join('')}`);
}

await printMutants();
