import { program } from './cli/program';

await program(new URL('./child.mjs', import.meta.url)).parseAsync();
