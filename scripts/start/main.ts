import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './exit';
import { startGrid } from './grid';
import { readOptions, USAGE } from './options';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const stopping = new AbortController();
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) {
  process.on(event, () => stopping.abort());
}
process.channel?.unref();

try {
  const options = readOptions(process.argv.slice(2), root);
  if (options === 'help') {
    console.log(USAGE);
  } else {
    const { signal } = stopping;
    const grid = await startGrid(options, root, signal);
    if (grid) {
      if (!signal.aborted) await once(signal, 'abort');
      console.log('\n  Stopping; a run in progress may take some seconds to finish ...');
      await grid.stop();
    } else {
      console.log('\n  Stopped before it was up.');
    }
    process.exit(0);
  }
} catch (error) {
  exitWith(error);
}
