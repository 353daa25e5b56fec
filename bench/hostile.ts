import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/start/build';
import { FaultGrid } from '../tests/faults/grid';
import { besiege, faultsOf, readAll, type Siege, siegeText } from '../tests/faults/hostile';
import { countOf, flagsOf } from './flags';

/**
 * `npm run bench:hostile`: a real grid, first under everything hostile that one token and four
 * readers without one can send, then under 100 such readers of every address. Prints what was
 * answered, how long the site took to say that it is well, and its memory. Fails where an answer
 * was 5xx, the 99th percentile above 1 s, the site above 1 GB, or no honest run was measured.
 */
const flags = flagsOf('usage: npm run bench:hostile [-- [--siege-s 120] [--readers-s 60]]', {
  ...{ 'siege-s': '120', 'readers-s': '60' },
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
    faults.push(...faultsOf(seen));
  };
  const siegeS = countOf(flags, 'siege-s');
  const readersS = countOf(flags, 'readers-s');
  await under(`One token and four readers, ${siegeS} s`, besiege(grid, siegeS * 1_000));
  await under(`100 readers, ${readersS} s`, readAll(grid, readersS * 1_000));
  print(`${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
} finally {
  await grid.close();
}
