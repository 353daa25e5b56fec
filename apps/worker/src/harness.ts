import { harness } from './harness/harness';
import { measureReference, measureVerification } from './harness/verification';

const threadEntry = new URL('./thread.mjs', import.meta.url);
const [, , task, n] = process.argv;
if (task === 'verification') await measureVerification(Number(n));
else if (task === 'reference') await measureReference(Number(n), threadEntry);
else await harness(new URL(import.meta.url), threadEntry);
