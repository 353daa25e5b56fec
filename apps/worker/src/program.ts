import { POLICY_IDS, PROFILES, SUITES } from '@tilemark/core';
import { DTYPES, InputError, OPS } from '@tilemark/kernels';
import { Command } from 'commander';
import { type BenchOptions, bench } from './commands/bench/bench';
import { type DevicesOptions, devices } from './commands/devices';
import { type ExportOptions, exportSweep } from './commands/export';
import { importFile } from './commands/import';
import { type RerunOptions, rerun } from './commands/rerun';
import { type TuneOptions, tune } from './commands/tune/tune';
import type { WorkerOptions } from './commands/worker';
import { NotAdmitted } from './enroll';
import { messageOf } from './message';
import type { SiteOptions } from './site';
import { VERSION } from './version';

/** Codes a shell script can tell apart. */
const EXIT = { bad: 1, badInput: 2, notAdmitted: 3 } as const;

/**
 * The `tilemark` command line.
 *
 * @param childEntry the bundled program of the process that owns a device
 */
export function program(childEntry: URL): Command {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const cli = new Command('tilemark')
    .description(
      'Benchmarks WGSL matrix-multiply and transpose kernels, each result proved correct.',
    )
    .version(VERSION)
    .showHelpAfterError()
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT.badInput));

  cli
    .command('devices')
    .description('list what can be measured on this machine')
    .option('--roofline', 'and measure what each GPU can do at most: bandwidth, cache, peaks')
    .action(guarded((options: DevicesOptions) => devices(options, childEntry, print)));

  cli
    .command('bench')
    .description('measure on this machine, without any service')
    .option(
      '--suite <name>',
      `a named sweep: ${SUITES.map(({ id }) => id).join(', ')} (default: starter)`,
    )
    .option('--param <name=value...>', 'a parameter of the suite, for example n=1024')
    .option('--kernel <id...>', 'kernels instead of a suite, for example matmul/tiled')
    .option(
      '--tunable <name=values...>',
      'values to try, for example TILE=8,16 (default: each default)',
    )
    .option('--shape <shapes>', 'for example 4096,512x256x128 (MxNxK or RxC)', undefined)
    .option('--dtype <types>', `${DTYPES.join(', ')} (default: f32)`)
    .option('--device <devices>', 'as `tilemark devices` lists them (default: auto,cpu)')
    .option('--profile <profiles>', `${PROFILES.join(', ')} (default: ${PROFILES[0]})`)
    .option('--policy <policy>', `${POLICY_IDS.join(', ')} (default: ${POLICY_IDS[0]})`)
    .option('--json <file>', 'write the results with all samples')
    .option('--csv <file>', 'write the results as a table')
    .action(
      guarded(async (options: BenchOptions) => {
        process.exitCode = await bench(options, childEntry, print);
      }),
    );

  cli
    .command('tune')
    .description('search for the fastest variant of a problem on this machine')
    .requiredOption('--op <op>', OPS.map(({ id }) => id).join(', '))
    .option('--shape <shape>', 'for example 4096, 512x256x128 (MxNxK or RxC)', '1024')
    .option('--dtype <type>', DTYPES.join(', '), 'f32')
    .option('--budget <time>', 'how long to search: 90s, 5m, 1h', '5m')
    .option('--kernel <id...>', 'kernels to search (default: all that compute it)')
    .option('--tunable <name=values...>', 'values to keep to, for example BM=128 BK=8,16')
    .option('--device <device>', 'as `tilemark devices` lists it', 'auto')
    .option('--profile <profile>', PROFILES.join(', '), PROFILES[0])
    .option('--seed <number>', 'the same seed tries the same variants', '1')
    .option('--cache <file>', 'keep what was measured, and go on from there')
    .option('--json <file>', 'write all that was measured, as `bench --json` does')
    .option('--save <file>', 'put the winner into a file of tuned variants')
    .action(
      guarded(async (options: TuneOptions) => {
        process.exitCode = await tune(options, childEntry, print);
      }),
    );

  cli
    .command('worker')
    .description('serve a device of this machine to a grid until stopped')
    .option('--device <device>', 'as `tilemark devices` lists it', 'auto')
    .option('--server <url>', "the grid's site; without it DATABASE_URL and REDIS_URL are used")
    .option('--token <token>', 'a worker token of the grid, with --server')
    .option('--metrics <port>', 'answer /metrics for Prometheus on this port of loopback')
    .action(
      guarded(async (options: WorkerOptions) => {
        // Only here: database and queue are large, and the other commands run without them.
        const { worker } = await import('./commands/worker');
        await worker(options, childEntry);
      }),
    );

  const server = ['--server <url>', "address of the grid's site", 'http://localhost:3000'] as const;
  cli
    .command('import')
    .description('bring a file of `bench --json` to a grid')
    .argument('<file>')
    .option(...server)
    .requiredOption('--token <token>', 'a token of the grid')
    .action(guarded((file: string, options: SiteOptions) => importFile(file, options, print)));

  cli
    .command('export')
    .description('print the results of a sweep')
    .argument('<sweep>', 'its id')
    .option('--format <format>', 'csv, or json for `import`', 'csv')
    .option(...server)
    .option('--token <token>', 'a token, where the grid is not public')
    .action(guarded((sweep: string, options: ExportOptions) => exportSweep(sweep, options, print)));

  cli
    .command('rerun')
    .description('measure a published result again on this machine')
    .argument('<result>', 'its id')
    .option('--device <device>', 'as `tilemark devices` lists it (default: the first that fits)')
    .option(...server)
    .option('--token <token>', 'a token, where the grid is not public')
    .action(
      guarded(async (result: string, options: RerunOptions) => {
        process.exitCode = await rerun(result, options, childEntry, print);
      }),
    );
  return cli;
}

/** Turns what a person got wrong, and what is missing, into one line and an exit code. */
function guarded<A extends unknown[]>(action: (...args: A) => Promise<void>) {
  return async (...args: A): Promise<void> => {
    try {
      await action(...args);
    } catch (error) {
      process.stderr.write(`error: ${describe(error)}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof NotAdmitted) return EXIT.notAdmitted;
  return error instanceof InputError ? EXIT.badInput : EXIT.bad;
}

function describe(error: unknown): string {
  if (error instanceof InputError) return `${error.field}: ${error.message}`;
  return messageOf(error);
}
