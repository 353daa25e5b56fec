import { parseArgs } from 'node:util';
import { drawSeed, profileSchema } from '@tilemark/core';
import { DTYPES, type Dtype, KERNELS } from '@tilemark/kernels';
import { chooseDevice, openDevice } from '../device/select';
import { MUTANTS } from './kernels';
import { type Fate, fateOf, fateOfRight, problemOf } from './run';

const OPTIONS = {
  sizes: { type: 'string' },
  dtypes: { type: 'string', default: 'f32,i32,f16,f16acc16' },
  only: { type: 'string', default: '.' },
  profile: { type: 'string', default: 'default' },
} as const;

/** No host kernels here, and one thread proves a reference as well. */
const NO_POOL = {
  threads: 1,
  run: () => Promise.reject(new Error('no threads')),
  release: async () => {},
};

/**
 * The room of kernels that are wrong in one way each. Puts all of them through the whole
 * measurement of this machine's device and prints which are caught, and that the right kernels of
 * the catalogue pass: `npm run test:mutants -- --sizes 17x31x5,700 --dtypes f32 --only regex`.
 * Exits with 1 if one is missed or a right one refused.
 */
export async function printMutants(): Promise<void> {
  const { values: flags } = parseArgs({ options: OPTIONS });
  const only = new RegExp(flags.only);
  const profile = profileSchema.parse(flags.profile);
  const device = await openDevice(await chooseDevice('auto'), profile, NO_POOL);
  const isGpu = device.identity.class === 'gpu';
  const sizes = (flags.sizes ?? `17x31x5,1x4096x1,700,1024${isGpu ? ',2048,4096' : ''}`).split(',');
  const dtypes = flags.dtypes
    .split(',')
    .filter((each): each is Dtype => Object.hasOwn(DTYPES, each));

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
        const problem = problemOf(mutant.kernel.op, size, dtype);
        column.mutants.push(await fateOf(device, mutant, problem, seed));
      }
      for (const kernel of right) {
        const problem = problemOf(kernel.op, size, dtype);
        column.right.push(await fateOfRight(device, kernel, problem, seed));
      }
      const seconds = ((performance.now() - beganMs) / 1e3).toFixed(0);
      process.stderr.write(`${column.title}: ${seconds} s\n`);
      found.push(column);
    }
  }

  const missed: string[] = [];
  const all = { caught: 0, cells: 0 };
  const titles = found.map(({ title }) => title);
  print(`${device.identity.device}, profile ${flags.profile}\n`);
  printHead(['mutant', ...titles, 'how']);
  for (const [row, { name }] of ofMutants.entries()) {
    const fates = found.map(({ mutants }) => mutants[row]);
    const marks = found.map(({ title, mutants }) => {
      const kind = mutants[row]?.kind;
      if (kind === 'passed') missed.push(`${name} at ${title}`);
      if (kind === 'caught') all.caught++;
      if (kind !== 'none') all.cells++;
      return kind === 'caught' ? 'caught' : kind === 'passed' ? '**MISSED**' : '';
    });
    const how = fates.find((fate) => fate?.kind === 'caught');
    printRow([name, ...marks, how?.kind === 'caught' ? how.by : '']);
  }

  print('');
  printHead(['right kernel', ...titles]);
  for (const [row, { id }] of right.entries()) {
    const marks = found.map(({ title, right: fates }) => {
      const fate = fates[row];
      if (fate?.kind === 'caught') missed.push(`${id} at ${title}: ${fate.by}`);
      if (fate?.kind === 'passed') return fate.rms.toPrecision(3);
      return fate?.kind === 'caught' ? '**REFUSED**' : '';
    });
    printRow([id, ...marks]);
  }
  print(
    '\nRight kernels: the RMS error in roundoffs. An empty cell: not wrong there, not supported, or, on a software adapter, too many dispatches.',
  );
  print(`${all.caught} of ${all.cells} caught (${ofMutants.length} mutants).`);
  for (const line of missed) print(`wrong verdict: ${line}`);
  device.executor.destroy();
  process.exit(missed.length > 0 ? 1 : 0);
}

const print = (text: string) => void process.stdout.write(`${text}\n`);
const printRow = (cells: readonly string[]) => print(`| ${cells.join(' | ')} |`);
function printHead(cells: readonly string[]): void {
  printRow(cells);
  print(`|${cells.map(() => '---|').join('')}`);
}
