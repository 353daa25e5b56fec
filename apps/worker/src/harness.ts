import { harness } from './harness/harness';

await harness(new URL('./thread.mjs', import.meta.url));
