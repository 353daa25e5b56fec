import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../scripts/start/build';

/** Builds once before the first grid: two that build at once are in each other's way. */
export default () => build(dirname(dirname(fileURLToPath(import.meta.url))));
