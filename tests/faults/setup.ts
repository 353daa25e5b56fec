import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../scripts/start/build';

/** The faults hit the site and the worker as they ship; what has not changed is not built again. */
export default (): Promise<void> =>
  build(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
