import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './exit';
import { startGrid } from './grid';
import { readOptions, USAGE } from './options';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

try {
  const options = readOptions(process.argv.slice(2), root);
  if (options === 'help') {
    console.log(USAGE);
  } else {
    const grid = await startGrid(options, root);
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      console.log('\n  Stopping; a run in progress may take some seconds to finish ...');
      await grid.stop();
      process.exit(0);
    };
    for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => void stop());
    process.channel?.unref();
  }
} catch (error) {
  exitWith(error);
}
