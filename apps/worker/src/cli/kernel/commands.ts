import { FAMILIES, manifestJsonSchema } from '@tilemark/core';
import type { Command } from 'commander';
import { type BaselineFlags, checkAgainst } from './baseline';
import { type CheckFlags, check } from './check';
import { newKernel } from './file';
import { type SubmitFlags, submit } from './submit';

/** What these commands share with all others. */
interface Shared {
  readonly childEntry: URL;
  readonly device: readonly [flags: string, about: string, initial: string];
  readonly server: readonly [flags: string, about: string, initial: string];
  readonly print: (text: string) => void;
  /** Turns errors into a line and an exit code. */
  readonly guarded: <A extends unknown[]>(
    action: (...args: A) => Promise<unknown>,
  ) => (...args: A) => Promise<void>;
}

type CheckOptions = CheckFlags & Omit<BaselineFlags, 'baseline'> & { readonly baseline?: string };

/** `kernel`, `check` and `submit`: for kernels of the user's own. */
export function addKernelCommands(
  cli: Command,
  { childEntry, device, guarded, print, server }: Shared,
): void {
  cli
    .command('check')
    .description('prove a kernel of your own right on this machine, and measure it briefly')
    .argument('<file>', 'a .wgsl file, for example of `tilemark kernel new`')
    .option('--shape <shapes>', 'to measure, for example 4096 or 512x256x128', '512')
    .option('--tunable <name=values...>', 'only these values; the first is then the default')
    .option(...device)
    .option('--baseline <file>', 'compare with this kernel instead; exit code 1 if slower')
    .option('--tolerance <part>', 'how much slower is slower, for example 0.02', Number, 0)
    .option('--server <url>', 'compare on the devices of this grid')
    .option('--devices <keys>', 'of the grid, comma-separated', 'all')
    .option('--token <token>', 'a member or admin token of the grid')
    .action(
      guarded((path: string, { baseline, ...options }: CheckOptions) =>
        baseline
          ? checkAgainst(path, { ...options, baseline }, childEntry, print)
          : check(path, options, childEntry, print),
      ),
    );

  const kernel = cli.command('kernel').description('write kernels of your own');
  kernel
    .command('new')
    .description('write a naive kernel that passes, with its bindings explained')
    .argument('<name>', 'letters, digits and -: the file is NAME.wgsl')
    .action(guarded((name: string) => newKernel(name, print)));
  kernel
    .command('schema')
    .description("print the JSON Schema of a kernel's manifest")
    .action(() => print(JSON.stringify(manifestJsonSchema(), null, 1)));

  cli
    .command('submit')
    .description(
      'run a kernel of your own on the devices of a grid, beside naive and the best of ours',
    )
    .argument('<file>', 'a .wgsl file')
    .option(...server)
    .requiredOption('--token <token>', 'a member or admin token of the grid')
    .option('--devices <keys>', 'comma-separated, or all that run contributed kernels', 'all')
    .option(
      '--shapes <shapes>',
      `comma-separated, or a family: ${FAMILIES.map(({ id }) => id).join(', ')}`,
      '1024',
    )
    .option('--dtype <types>', "comma-separated (default: the kernel's first)")
    .option('--tunable <name=values...>', 'values to try (default: the declared defaults)')
    .option('--publish', 'list it, and put its results on the boards')
    .option('--wait', 'until all runs have ended; exit code 1 if one is wrong')
    .action(guarded((path: string, options: SubmitFlags) => submit(path, options, print)));
}
