import { program } from './program';

await program(new URL('./child.mjs', import.meta.url)).parseAsync();
