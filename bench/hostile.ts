import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/start/build';
import { FaultGrid } from '../tests/faults/grid';
import {
  besiege,
  faultsOf,
  readAll,
  type Siege,
  siegeText,
  slownessOf,
} from '../tests/faults/hostile';
import { besiegeDoors } from '../tests/faults/hostile-doors';
import { countOf, flagsOf } from './flags';

/**
 * `npm run bench:hostile`: a real grid, first under everything hostile that one token and four
 * readers without one can send, then under 100 such readers of every address, then under a member,
 * students and strangers who keep others out. Prints what was answered, how long the site took to say
 * that it is well, and its memory. Fails where an answer was 5xx, the 99th percentile above 1 s, the
 * site above 1 GB, somebody honest was refused, or no honest run was measured.
 */
const usage = 'npm run bench:hostile [-- [--siege-s 120] [--readers-s 60] [--doors-s 120]]';
const flags = flagsOf(`usage: ${usage}`, {
  ...{ 'siege-s': '120', 'readers-s': '60', 'doors-s': '120' },
});

const print = (text: string): void => void process.stdout.write(`${text}\n`);

await build(fileURLToPath(new URL('..', import.meta.url)));
const grid = await FaultGrid.start();
try {
  await grid.startWorker({ site: grid.url });
  const faults: string[] = [];
  const under = async (title: string, attack: Promise<Siege>) => {
    const seen = await attack;
    print(siegeText(title, seen));
    print(`  load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors`);
    faults.push(...faultsOf(seen), ...slownessOf(seen));
  };
  const siegeS = countOf(flags, 'siege-s');
  const readersS = countOf(flags, 'readers-s');
  const doorsS = countOf(flags, 'doors-s');
  const ms = 1_000;
  await under(`One token and four readers, ${siegeS} s`, besiege(grid, siegeS * ms));
  await under(`100 readers, ${readersS} s`, readAll(grid, readersS * ms));
  await under(`Others kept out, ${doorsS} s`, besiegeDoors(grid, doorsS * ms));
  if (faults.length > 0) throw new Error(faults.join('\n'));
} finally {
  await grid.close();
}
