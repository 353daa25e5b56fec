import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** The bundled programs as a GPU machine runs them, at sizes for the device of a test machine. */

const root = fileURLToPath(new URL('..', import.meta.url));
// Below node_modules, where the bundle finds `webgpu`.
const folder = join(root, 'node_modules', '.cache', `tilemark-${randomUUID()}`);
const node = (...args: string[]) =>
  promisify(execFile)(process.execPath, args, {
    // A temporary folder of its own, and with it a machine lock of its own.
    env: { ...process.env, TMPDIR: join(folder, 'tmp') },
  });

beforeAll(async () => {
  await node(join(root, 'scripts', 'bundle.mjs'), '--outdir', join(folder, 'dist'));
  await mkdir(join(folder, 'tmp'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(program: string, ...args: string[]) {
  const out = join(folder, `${program}.json`);
  const { stdout } = await node(
    join(folder, 'dist', 'bench', program),
    '--largest',
    '64',
    '--out',
    out,
    ...args,
  );
  return { stdout, written: JSON.parse(await readFile(out, 'utf8')) as Record<string, unknown> };
}

/** How a program ended, also with an error. */
const ended = (program: string, ...args: string[]) =>
  node(join(folder, 'dist', 'bench', program), ...args).catch((error) => error);

it.each(['engines.mjs', 'side-by-side.mjs', 'repeats.mjs', 'regret.mjs'])(
  '%s tells how it is used',
  async (program) => {
    const { stdout, stderr } = await ended(program, '--help');
    expect(stdout).toMatch(new RegExp(`^usage: node apps/worker/dist/bench/${program} \\[--`));
    expect(stderr).toBe('');
  },
);

it('refuses a flag that it does not know', async () => {
  const program = 'side-by-side.mjs';
  const { code, stdout, stderr } = await ended(program, '--no-such', '1');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--no-such'/);
  expect(stderr).toContain(`\nusage: node apps/worker/dist/bench/${program} `);
  expect(stderr).not.toContain('    at ');
});

it.each([
  ['side-by-side.mjs', '--rounds', '0'],
  ['side-by-side.mjs', '--largest', 'big'],
])('%s refuses %s %s', async (program, flag, text) => {
  const { code, stdout, stderr } = await ended(program, `${flag}=${text}`);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(`${flag} must be a whole number above 0, not ${text}\n`);
});

it('prints the goals of suites, and refuses one that does not exist', async () => {
  const suite = ['--suite', 'transpose-shapes', '--seconds', '1', '--policy', 'smoke'];
  const { stdout, written } = await run('side-by-side.mjs', ...suite);
  expect(stdout).toMatch(/^\| transposes \/ copy of as many bytes \| \d+, \d+ unseen \| \d/m);
  expect(written.results).toContainEqual(
    expect.objectContaining({
      variant: expect.stringMatching(/^transpose\//),
      other: expect.anything(),
    }),
  );
  const { code, stderr } = await ended('side-by-side.mjs', '--suite', 'no-such');
  expect(code).toBe(2);
  expect(stderr).toContain('  llm-shapes\n');
});

it('gives ratios with intervals and verdicts, and says which side was unavailable', async () => {
  const rows = ['--rows', '4096 f32 fast |(4096x64|64x4096x4096) f32 vendor', '--rounds', '1'];
  const how = ['--policy', 'smoke', '--python', 'no-such-python'];
  const { stdout, written } = await run('side-by-side.mjs', ...rows, ...how);
  const [head, , , , compared, alone, , , absence] = stdout.split('\n');
  expect(head).toMatch(/webgpu [\d.]+, \d{4}-\d\d-\d\dT/);
  expect(alone).toMatch(
    /\| matmul 64x64x64 .* [\d.e-]+ ±[\d.e-]+ TFLOP\/s \| cuBLAS not measured \|/,
  );
  expect(compared).toMatch(/\| [\d.]+ \[[\d.]+, [\d.]+\] \| 0\.99 \| none: .*smoke/);
  expect(absence).toMatch(/^cuBLAS was not measured: .*ENOENT/);
  expect(written).toMatchObject({
    environments: { fast: { profile: 'fast' }, default: { profile: 'default' } },
    results: [
      { rounds: [{ ratio: expect.any(Number) }] },
      { rounds: [{ other: null }] },
      { rounds: [{ other: null }] },
    ],
  });
});

it.each([
  ['matmul 1024 f32 vendor matmul/warp-tile['],
  ['transpose 8192x8192 f32 shipped', '--search', '1s'],
])('refuses rows that match nothing, and lists what there is: %s', async (listed, ...also) => {
  const [flag, pattern] = ['--rows', 'matmul 5 f32'];
  const { code, stdout, stderr } = await ended('side-by-side.mjs', flag, pattern, ...also);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`${flag} ${pattern} matches none of:\n`);
  expect(stderr).toContain(`\n  ${listed}`);
});

it('repeats.mjs judges equal and different variants by invocations', async () => {
  const file = join(folder, 'repeats.json');
  const runs = (medianNs: number, other = medianNs) =>
    [medianNs, other].map((ns) => ({ medianNs: ns, lowNs: 0.999 * ns, highNs: 1.001 * ns, n: 99 }));
  const judged = async (...variants: ReturnType<typeof runs>[]) => {
    const repeated = variants.map((runs, i) => ({ of: `variant ${i}`, runs }));
    await writeFile(file, JSON.stringify(repeated));
    return ended('repeats.mjs', '--from', file, '--repeats', '2');
  };
  // One invocation is known to about 6% on a GPU that has shown no spread yet.
  const stable = await judged(runs(100, 100.1), runs(120));
  expect(stable.stdout).toContain('| of 1 invocation, with the prior | 2 | 0 | 1 | 1 | 1 | 0 |');
  expect(stable.stdout).toContain('\nStable: 2 variants');
  const apart = await judged(runs(100, 144), runs(120));
  expect(apart).toMatchObject({ code: 1 });
  expect(apart.stdout).toContain('| of 1 invocation, with the prior | 2 | 1 | 1 | 1 | 0 | 1 |');
});

it('searches again for a variant that ships, and measures it beside what was found', async () => {
  const rows = ['--rows', 'transpose 8192', '--search', '2s', '--rounds', '1'];
  const { stdout, written } = await run('side-by-side.mjs', ...rows, '--policy', 'smoke');
  const [, , , , line] = stdout.split('\n');
  expect(line).toMatch(
    /^\| transpose 64x64 f32 fast \| transpose\/[^|]+ \| [^|]+ GB\/s \| shipped [^|]+ GB\/s \| [\d.]+ \[[^|]+\] \| 0\.995 \| none: /,
  );
  expect(written.results).toMatchObject([
    {
      rounds: [
        {
          ours: { tried: expect.any(Number) },
          other: { address: expect.stringContaining('swizzled') },
        },
      ],
    },
  ]);
});

it('finds all that measuring other libraries takes from ours', async () => {
  const { errors, warnings } = await build({
    entryPoints: [join(root, 'bench', 'libraries', 'libraries.mjs')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.wgsl': 'text' },
    // The libraries themselves are installed by build.mjs alone.
    external: ['webgpu', '@tensorflow/*', '@jax-js/*', 'onnxruntime-node'],
    write: false,
    logLevel: 'silent',
  });
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
});
