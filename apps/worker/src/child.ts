import { childMain } from './child/child-main';

await childMain();
