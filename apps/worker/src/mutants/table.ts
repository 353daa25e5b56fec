import { parseArgs } from 'node:util';
import { profileSchema } from '@tilemark/core';
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

  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const columns = sizes.flatMap((size) => dtypes.map((dtype) => ({ size, dtype })));
  const missed: string[] = [];
  let caught = 0;
  let cells = 0;

  print(`${device.identity.device}, profile ${flags.profile}\n`);
  print(`| mutant | ${columns.map(({ size, dtype }) => `${size} ${dtype}`).join(' | ')} | how |`);
  print(`|---|${columns.map(() => '---|').join('')}---|`);
  const ofMutants = MUTANTS.filter(({ name }) => only.test(name));
  for (const mutant of ofMutants) {
    const fates: Fate[] = [];
    for (const { size, dtype } of columns) {
      const fate = await fateOf(device, mutant, problemOf(mutant.kernel.op, size, dtype));
      if (fate.kind === 'passed') missed.push(`${mutant.name} at ${size} in ${dtype}`);
      if (fate.kind === 'caught') caught++;
      if (fate.kind !== 'none') cells++;
      fates.push(fate);
    }
    const marks = fates.map(
      ({ kind }) => ({ caught: 'caught', passed: '**MISSED**', none: '' })[kind],
    );
    const how = fates.find((fate) => fate.kind === 'caught');
    print(`| ${mutant.name} | ${marks.join(' | ')} | ${how?.kind === 'caught' ? how.by : ''} |`);
  }

  print(`\n| right kernel | ${columns.map(({ size, dtype }) => `${size} ${dtype}`).join(' | ')} |`);
  print(`|---|${columns.map(() => '---|').join('')}`);
  for (const kernel of KERNELS.filter(({ id, runsOn }) => runsOn === 'gpu' && only.test(id))) {
    const marks: string[] = [];
    for (const { size, dtype } of columns) {
      const fate = await fateOfRight(device, kernel, problemOf(kernel.op, size, dtype));
      if (fate.kind === 'caught') missed.push(`${kernel.id} at ${size} in ${dtype}: ${fate.by}`);
      marks.push(
        fate.kind === 'passed'
          ? fate.rms.toPrecision(3)
          : fate.kind === 'caught'
            ? '**REFUSED**'
            : '',
      );
    }
    print(`| ${kernel.id} | ${marks.join(' | ')} |`);
  }
  print(
    '\nRight kernels: the RMS error in roundoffs. An empty cell: not wrong there, or not supported.',
  );
  print(`${caught} of ${cells} caught (${ofMutants.length} mutants).`);
  for (const line of missed) print(`wrong verdict: ${line}`);
  device.executor.destroy();
  process.exit(missed.length > 0 ? 1 : 0);
}
