import { admitKernel } from '@tilemark/core/contributed';
import { childMain } from './child/child-main';

await childMain(new URL('./thread.mjs', import.meta.url), admitKernel);
