import {
  BEST_FORMS,
  engineSchema,
  FAMILIES,
  messageOf,
  NotAdmitted,
  POLICY_IDS,
  PROFILE_WORDS,
  PROFILES,
  Refused,
  SUITES,
} from '@tilemark/core';
import { manifestJsonSchema } from '@tilemark/core/contributed';
import { DTYPES, EPILOGUES, InputError, idsOf, OPS, type OpId } from '@tilemark/kernels';
import { Command, Option } from 'commander';
import { version } from '../../package.json';
import { type BenchOptions, bench } from './bench/bench';
import { type BestOptions, best } from './best';
import { type BisectFlags, bisect } from './bisect/bisect';
import { devices } from './devices';
import { type DuelFlags, duel } from './duel';
import {
  accountOf,
  dtypeOf,
  duelsOf,
  durationNs,
  familyOf,
  listed,
  regimeOf,
  seedOf,
} from './flags';
import type { GridOptions } from './grid/client';
import { type ExportOptions, exportSweep } from './grid/export';
import { importFiles } from './grid/import';
import { type RerunOptions, rerun } from './grid/rerun';
import { type CheckFlags, check } from './kernel/check';
import { againInDeno } from './kernel/engines';
import { newKernel, newManifest } from './kernel/file';
import { type SubmitFlags, submit } from './kernel/submit';
import { lineWidth, wrapped } from './table';
import { type TuneOptions, tune } from './tune/tune';
import { type WorkerOptions, worker } from './worker';
import { LOG_FORMS } from './worker-log';

/** Exit codes for shell scripts. */
const EXIT = { bad: 1, badInput: 2, notAdmitted: 3 } as const;

export type Legend = readonly (readonly [term: string | number, about: string])[];

/** The exit codes of every command; `check` has further ones. */
export const EXIT_CODES: Legend = [
  [EXIT.bad, 'something was incorrect or failed'],
  [EXIT.badInput, 'an option is wrong'],
  [EXIT.notAdmitted, 'the grid does not admit the token'],
];

/** Each dtype and what it is. */
export const DTYPE_WORDS = Object.entries(DTYPES).map(([id, { words }]) => [id, words] as const);

/** A list below the help. */
const legend = (title: string, rows: Legend) =>
  `\n${title}:\n${rows.map(([term, about]) => `  ${String(term).padEnd(11)} ${about}\n`).join('')}`;

const OP = new Option('--op <op>').choices(idsOf(OPS)).default('matmul');

const DTYPE = new Option('--dtype <type>', 'as `tilemark --help` lists them').argParser(dtypeOf);
const REGIME = new Option(
  '--regime <regime>',
  'how inputs are drawn, not ranked: large, outliers, zeros, integers, or below 2^7: large:7, outliers:7 (default: fractions around 0)',
).argParser(regimeOf);
const EPILOGUE = new Option(
  '--epilogue <epilogue>',
  'what is made of each sum before it is stored; such results are not ranked (default: nothing)',
).choices(idsOf(EPILOGUES));
const PROFILE_HELP = Object.values(PROFILE_WORDS).join('; ');
const PROFILE = new Option('--profile <profile>', PROFILE_HELP)
  .choices(PROFILES)
  .default(PROFILES[0]);
const FAMILY_IDS = FAMILIES.map(({ id }) => id).join(', ');
const DEVICE = ['--device <device>', 'as `devices` lists it', 'auto'] as const;
const SHAPE = [
  '--shape <shape>',
  'for example 4096, 512x256x128 (MxNxK or RxC) or 8x512x256x128 (a batch, BxMxNxK)',
  '1024',
] as const;
const WGSL = ['--wgsl <file...>', 'kernels of your own, in .wgsl files (docs/bring.md)'] as const;
const OF_GRID = [
  '--server <url>',
  'the grid that keeps a contributed kernel, which is named by its id',
] as const;
/** The token, from the environment rather than the command line, which everybody on the machine may read. */
const tokenOption = (about: string): Option =>
  new Option('--token <token>', about).env('TILEMARK_TOKEN');
const READER = tokenOption('a token, if the grid is not public');
const SEED = (about: string) => ['--seed <number>', about, seedOf] as const;

/**
 * The `tilemark` command line: each command has a file, or a folder, of its name beside this one;
 * those that ask a grid are in `grid/`. `table.ts` draws what a terminal shows.
 *
 * @param childEntry the bundled program of the process that owns a device
 */
export function program(childEntry: URL): Command {
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  const cli = new Command('tilemark')
    .description('Benchmarks WGSL matrix-multiply and transpose kernels and verifies every result.')
    .version(version)
    .addHelpText('after', legend('Exit codes', EXIT_CODES) + legend('Dtypes', DTYPE_WORDS))
    .showHelpAfterError('(--help explains the options)')
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT.badInput));

  cli
    .command('devices')
    .description('list the devices of this machine')
    .action(guarded(() => devices(childEntry, print)));

  cli
    .command('bench')
    .description('measure on this machine; needs no server')
    .option(
      '--suite <name>',
      `a predefined sweep: ${SUITES.map(({ id }) => id).join(', ')} (default: starter)`,
    )
    .option('--param <name=value...>', 'parameters of the suite, for example n=1024')
    .option('--kernel <id...>', 'kernels instead of a suite, for example matmul/tiled matmul/naive')
    .option(...WGSL)
    .option(...OF_GRID)
    .addOption(READER)
    .option(
      '--tunable <name=values...>',
      'values to try, for example TILE=8,16 or TILE=8,UNROLL=4 (default: the declared defaults)',
    )
    .option(
      '--shape <shapes>',
      'comma-separated, for example 4096,512x256x128 (MxNxK, BxMxNxK or RxC; default: 512)',
    )
    .option(
      '--dtype <types>',
      'comma-separated, as `tilemark --help` lists them (default: f32, or what its kernels take)',
    )
    .addOption(REGIME)
    .addOption(EPILOGUE)
    .option('--device <devices>', 'comma-separated, as `devices` lists them (default: auto,cpu)')
    .option('--profile <profiles>', `comma-separated, ${PROFILE_HELP} (default: ${PROFILES[0]})`)
    .addOption(
      new Option('--policy <policy>', `how long to measure (default: ${POLICY_IDS[0]})`).choices(
        POLICY_IDS,
      ),
    )
    .option(...SEED('the seed of a result, to repeat its inputs and checks (default: random)'))
    .option('--json <file>', 'write the results with all samples as JSON')
    .option('--csv <file>', 'write the results as CSV')
    .action(guarded((options: BenchOptions) => bench(options, childEntry, print)));

  cli
    .command('tune')
    .description('search for the fastest variant for a problem on this machine')
    .addOption(
      new Option('--op <op>', 'required without --suite, --kernel and --wgsl').choices(idsOf(OPS)),
    )
    .addOption(
      new Option(
        '--suite <name>',
        `time the candidates of a family of shapes instead, for the selector: ${FAMILY_IDS}`,
      ).argParser(familyOf),
    )
    .option(...SHAPE)
    .addOption(DTYPE)
    .addOption(EPILOGUE)
    .addOption(
      new Option(
        '--budget <time>',
        'how long to search, for example 90s, 5m or 1h; full measurements of the fastest may exceed it',
      )
        .argParser(durationNs)
        .default(durationNs('5m'), '5m'),
    )
    .option('--kernel <id...>', 'kernels to search (default: all that fit)')
    .option(...WGSL)
    .option(...OF_GRID)
    .addOption(READER)
    .option('--tunable <name=values...>', 'only these values, for example BM=128 BK=8,16')
    .option(...DEVICE)
    .addOption(PROFILE)
    .option(...SEED('the same seed tries the same variants in the same order'), 1)
    .option('--json <file>', 'write all measurements, as `bench --json` does')
    .option(
      '--save <file>',
      'add what was found to a file of evidence, which `best --evidence` reads',
    )
    .action(guarded((options: TuneOptions) => tune(options, childEntry, print)));

  cli
    .command('duel')
    .description('let two variants take turns on one device, and print the ratio of their speeds')
    .argument('<A>', "a variant, for example 'matmul/tiled[TILE=16]' or 'my.wgsl[BLOCK=8]'")
    .argument('<B>', 'another of the same op, or the same with another tunable')
    .option(...SHAPE)
    .addOption(DTYPE)
    .addOption(EPILOGUE)
    .option(...DEVICE)
    .addOption(PROFILE)
    .option(...OF_GRID)
    .addOption(READER)
    .option('--json <file>', 'write the ratio and all samples as JSON')
    .action(
      guarded((a: string, b: string, options: DuelFlags) =>
        duel([a, b], options, childEntry, print),
      ),
    );

  cli
    .command('bisect')
    .alias('regression')
    .description('name the first release of `webgpu` that makes a variant slower, faster or wrong')
    .argument('<variant>', "for example 'matmul/tiled[TILE=16]' or 'my.wgsl[BLOCK=8]'")
    .option(
      '--from <release>',
      'the older of two, for example 0.5.0 (default: the oldest that opens the device)',
    )
    .option('--to <release>', 'the newer of two, for example 0.6.2 (default: the installed one)')
    .option(...SHAPE)
    .addOption(DTYPE)
    .option(...DEVICE)
    .addOption(PROFILE)
    .option('--duels <number>', 'with each release, each of two new processes', duelsOf, 5)
    .option('--folder <path>', 'where releases are installed and kept', '.tilemark/webgpu')
    .option(...OF_GRID)
    .addOption(READER)
    .action(
      guarded((variant: string, options: BisectFlags) =>
        bisect(variant, options, childEntry, print),
      ),
    );

  cli
    .command('best')
    .description('print the variants to run for shapes on GPUs, as /best of a grid does')
    .option('--shape <shapes>', 'for example 1x4096x11008; several with spaces between')
    .addOption(
      new Option('--suite <name>', `or a family of shapes: ${FAMILY_IDS}`).argParser(familyOf),
    )
    .option('--gpu <gpus>', 'comma-separated: device keys, apple, nvidia, apple/metal-3')
    .addOption(OP)
    .addOption(DTYPE)
    .addOption(PROFILE)
    .addOption(
      new Option(
        '--engine <engine>',
        'what compiles the shader (default: that of the runtime in --gpu, else tint)',
      ).choices(engineSchema.options),
    )
    .option('--one', 'one variant for every shape and GPU: the best at worst')
    .addOption(new Option('--format <format>').choices(['table', ...BEST_FORMS]).default('table'))
    .option('--evidence <files...>', 'of `tune --save`, to decide by instead of what ships')
    .option('--server <url>', 'a grid to ask instead of what ships')
    .addOption(READER)
    .action(guarded((options: BestOptions) => best(options, print)));

  cli
    .command('worker')
    .description('run benchmarks for a grid on the devices of this machine, until stopped')
    .option('--device <devices>', 'all GPUs, or comma-separated, as `devices` lists them', 'all')
    .option('--server <url>', "the grid's address (default: use DATABASE_URL and REDIS_URL)")
    .addOption(tokenOption('a worker token of the grid; required with --server'))
    .option('--contributed', 'also run kernels that people of the grid have contributed')
    .option(
      '--contributed-as <uid:gid>',
      'run those as another user, where root starts the worker',
      accountOf,
    )
    .addOption(
      new Option('--log <form>', 'lines for people, or JSON for machines')
        .choices(LOG_FORMS)
        .default(LOG_FORMS[0]),
    )
    .action(guarded((options: WorkerOptions) => worker(options, childEntry)));

  const server = ['--server <url>', "the grid's address", 'http://localhost:3000'] as const;
  cli
    .command('import')
    .description('upload results of `bench --json` to a grid')
    .argument(
      '<path...>',
      'files, or folders of .json files, subfolders included; a file is kept whole or not at all',
    )
    .option(...server)
    .addOption(tokenOption('a member or admin token of the grid').makeOptionMandatory())
    .action(guarded((paths: string[], options: GridOptions) => importFiles(paths, options, print)));

  cli
    .command('export')
    .description('print the results of a sweep')
    .argument('<sweep>', 'its id')
    .addOption(
      new Option('--format <format>', 'json as `import` takes it')
        .choices(['csv', 'json'])
        .default('csv'),
    )
    .option(...server)
    .addOption(READER)
    .action(guarded((sweep: string, options: ExportOptions) => exportSweep(sweep, options, print)));

  cli
    .command('rerun')
    .description('measure a published result again on this machine')
    .argument('<result>', 'its id')
    .option('--device <device>', 'as `devices` lists it (default: the first that fits)')
    .option(...SEED("of inputs and checks (default: the result's own)"))
    .option(...server)
    .addOption(READER)
    .action(
      guarded((result: string, options: RerunOptions) => rerun(result, options, childEntry, print)),
    );

  cli
    .command('check')
    .description(
      'check that a kernel of your own is right on this machine, and measure it briefly; exit codes: 1 wrong, 4 slower, 5 does not compile, 6 could not be checked here',
    )
    .argument('<file>', 'a .wgsl file, for example of `kernel new`')
    .option('--shape <shapes>', 'to measure, for example 4096 or 512x256x128', '512')
    .option('--tunable <name=values...>', 'only these values; the first is then the default')
    .addOption(REGIME)
    .option(...DEVICE)
    .option('--baseline <file>', 'also compare with this kernel; exit code 4 if slower')
    .option('--tolerance <part>', 'how much slower is slower, for example 0.02', Number, 0)
    .addOption(
      new Option('--engine <engine>', 'run it as Firefox compiles it, under Deno').choices([
        'deno',
      ]),
    )
    .action(
      guarded((path: string, { engine, ...options }: CheckFlags & { engine?: string }) =>
        engine && !process.versions.deno ? againInDeno() : check(path, options, childEntry, print),
      ),
    );

  const kernel = cli.command('kernel').description('write kernels of your own');
  kernel
    .command('new')
    .description(
      'write a naive kernel that passes, with its bindings explained, or the manifest of a kernel that there is',
    )
    .argument('[name]', 'a-z, 0-9 and -: the file is NAME.wgsl (default: that of --from)')
    .option('--from <file>', 'a .wgsl file without a manifest, which is written beside it')
    .addOption(OP)
    .action(
      guarded((name: string | undefined, { from, op }: { from?: string; op: OpId }) =>
        from === undefined ? newKernel(name, op, print) : newManifest(from, name, print),
      ),
    );
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
    .addOption(tokenOption('a member or admin token of the grid').makeOptionMandatory())
    .option('--devices <keys>', 'comma-separated, or all that run contributed kernels', 'all')
    .option('--shapes <shapes>', `comma-separated, or a family: ${FAMILY_IDS}`, '1024')
    .option('--dtype <types>', "comma-separated (default: the kernel's first)")
    .option('--tunable <name=values...>', 'values to try (default: the declared defaults)')
    .option('--publish', 'list it, and put its results on the boards')
    .option('--wait', 'until all runs have ended; exit codes as those of `check`')
    .action(guarded((path: string, options: SubmitFlags) => submit(path, options, print)));
  for (const option of cli.commands.flatMap(({ options }) => options)) {
    // Named in the plural, a value is a list.
    if (/s>$/.test(option.flags)) option.argParser(listed(option.defaultValue));
  }
  return cli;
}

/** An action's number is the exit code; an error becomes one line on stderr and an exit code. */
function guarded<A extends unknown[]>(action: (...args: A) => Promise<unknown>) {
  return async (...args: A): Promise<void> => {
    try {
      const code = await action(...args);
      if (typeof code === 'number') process.exitCode = code;
    } catch (error) {
      const text = `error: ${describe(error)}`;
      // A log keeps it in one line.
      const { isTTY } = process.stderr;
      process.stderr.write(`${isTTY ? wrapped(text, lineWidth(process.stderr)) : text}\n`);
      process.exitCode = exitCodeOf(error);
    }
  };
}

function exitCodeOf(error: unknown): number {
  if (error instanceof NotAdmitted) return EXIT.notAdmitted;
  return error instanceof InputError || error instanceof Refused ? EXIT.badInput : EXIT.bad;
}

function describe(error: unknown): string {
  if (error instanceof InputError) return `${error.field}: ${error.message}`;
  return messageOf(error);
}
