/** The ladder of transposition. A new kernel is its files and a line here. */
export { copy } from './00-copy';
export { naive } from './01-naive';
export { tiled } from './02-tiled';
export { padded } from './03-padded';
export { multiRow } from './04-multi-row';
export { vec4 } from './05-vec4';
export { swizzled } from './06-swizzled';
export { pitched } from './07-pitched';
export { cpuNaive } from './cpu/01-naive';
export { cpuBlocked } from './cpu/02-blocked';
export { cpuParallel } from './cpu/03-parallel';
