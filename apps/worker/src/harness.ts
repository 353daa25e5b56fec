import { harness } from './harness/harness';
import { measureVerification } from './harness/verification';

if (process.argv[2] === 'verification') await measureVerification(Number(process.argv[3]));
else await harness(new URL(import.meta.url), new URL('./thread.mjs', import.meta.url));
