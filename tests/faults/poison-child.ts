// biome-ignore lint/style/noRestrictedImports: the device process as it ships, with kernels more
import { childMain } from '../../apps/worker/src/child/child-main';
import { registerPoison } from './poison-kernels';

registerPoison();
await childMain(new URL('./thread.mjs', import.meta.url));
