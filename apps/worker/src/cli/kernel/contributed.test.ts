import { readFile } from 'node:fs/promises';
import { outcomeReason } from '@tilemark/core';
import { admitKernel, kernelTemplate } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { DeviceProcess } from '../../child/device-process';
import { Runner } from '../../child/runner';

// A software GPU on a busy machine.

const bundle = useBundle();
let runner: Runner;
beforeAll(() => {
  runner = new Runner({ entry: bundle.child, device: '0' });
});
afterAll(() => runner.close());

const template = kernelTemplate('tried');
const changed = (...changes: readonly (readonly [from: string, to: string])[]) =>
  changes.reduce((source, [from, to]) => {
    expect(source).toContain(from);
    return source.replace(from, to);
  }, template);
const LINE = template.slice(0, template.indexOf('var sum')).split('\n').length;
const STORE = 'C[row * shape.n + col] = T(sum);';
const SUM = 'var sum = Acc(0);';

const problemOf = (m: number, n: number, k: number): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype: 'f32',
});

async function fateOf(source: string, problem = problemOf(33, 65, 17), on = runner) {
  const { kernel } = await admitKernel({ author: 'mallory', source });
  const variant = { kernel: kernel.id, tunables: {} };
  const { outcome } = await on.run({ variant, problem, profile: 'default', policy: 'smoke' });
  return { kind: outcome.kind, why: outcomeReason(outcome) ?? '' };
}

/** Keeps a count of its dispatches in scratch memory, which the poison overwrites. */
const withScratch = (store: string) =>
  changed(
    ['"covers"', '"scratchBytes": 256, "bindings": { "scratch": "kept" }, "covers"'],
    [
      'struct Shape',
      '@group(0) @binding(4) var<storage, read_write> kept: array<u32>;\nstruct Shape',
    ],
    [STORE, store],
  );

const CHEATS: readonly (readonly [
  name: string,
  source: () => string,
  how: RegExp,
  kind?: string,
])[] = [
  ['an empty kernel', () => changed([STORE, '']), /element \[\d+, \d+\] is/],
  [
    'a constant',
    () => changed([STORE, 'C[row * shape.n + col] = 0.5;']),
    /element \[\d+, \d+\] is 0.5/,
  ],
  [
    'work that is skipped where the output looks right',
    () => changed([SUM, `if (abs(C[row * shape.n + col]) < 1e3) { return; }\n${SUM}`]),
    /should be/,
  ],
  [
    'results kept from an earlier dispatch',
    () =>
      changed(
        [
          '"covers"',
          '"scratchBytes": "4 * m * n + 256", "bindings": { "scratch": "kept" }, "covers"',
        ],
        [
          'struct Shape',
          '@group(0) @binding(4) var<storage, read_write> kept: array<f32>;\nstruct Shape',
        ],
        [
          SUM,
          `let at = row * shape.n + col;
  if (abs(kept[at]) > 0.0 && abs(kept[at]) < 1e3) { C[at] = kept[at]; return; }
  ${SUM}`,
        ],
        [STORE, 'C[at] = T(sum);\n  kept[at] = sum;'],
      ),
    /should be/,
  ],
  [
    'shapes that are specialised',
    () => changed([SUM, `if (shape.m != 64u) { return; }\n${SUM}`]),
    /should be/,
  ],
  ['half of the sum', () => changed(['p < shape.k', 'p < shape.k / 2u']), /should be/],
  [
    'sums of lower precision',
    () =>
      changed([
        'C[row * shape.n + col] = T(sum);',
        'C[row * shape.n + col] = bitcast<f32>(bitcast<u32>(sum) & 0xfffff000u);',
      ]),
    /less precise|should be/,
  ],
  [
    'NaN',
    () => changed([STORE, 'C[row * shape.n + col] = bitcast<f32>(0x7fc00000u + shape.m - 33u);']),
    /is NaN/,
  ],
  [
    'a write behind its output',
    () => changed([STORE, `${STORE}\n  C[shape.m * shape.n + 7u] = 1.0;`]),
    /wrote past the end of its output of \d+ bytes: the first changed word is at byte \d+/,
    'failed',
  ],
  [
    'a write behind its scratch memory',
    () => withScratch(`${STORE}\n  kept[70] = 1u;`),
    /past the end of its scratch memory/,
    'failed',
  ],
  [
    'an endless loop in all workgroups but the first',
    () =>
      changed([
        SUM,
        `var turns = 1u;\n  while (id.x >= BLOCK && turns != shape.m - 33u) { turns = turns | 1u; C[id.x] += f32(turns); }\n${SUM}`,
      ]),
    /did not end within (5|20) s/,
    'failed',
  ],
  [
    'an endless loop in its tenth dispatch',
    () =>
      withScratch(
        `if (id.x == 0u && id.y == 0u) {
           kept[1] = select(1u, kept[1] + 1u, kept[0] == 77u);
           kept[0] = 77u;
           while (kept[1] > 9u && kept[2] != shape.m - 33u) { kept[2] = 1u; }
         }
         ${STORE}`,
      ),
    /did not end within (5|20) s/,
    'failed',
  ],
  [
    'a barrier in divergent flow',
    () => changed([SUM, `if (id.x > 3u) { workgroupBarrier(); }\n${SUM}`]),
    new RegExp(`compile: .*uniform control flow.*\\(line ${LINE}, column \\d+:`),
    'failed',
  ],
  [
    'source that does not compile',
    () => changed([SUM, `let oops = 1 + ;\n${SUM}`]),
    new RegExp(`compile: .*\\(line ${LINE}, column \\d+: let oops = 1 \\+ ;`),
    'failed',
  ],
  [
    'an array that no device has memory for',
    () => changed([SUM, `var large: array<f32, 100000000>;\n  large[id.x] = 1.0;\n${SUM}`]),
    /compile: .*array/,
    'failed',
  ],
  [
    'more workgroup memory than there is',
    () =>
      changed(
        ['struct Shape', 'var<workgroup> large: array<f32, 100000>;\nstruct Shape'],
        [SUM, `large[id.x % 7u] = 1.0;\n${SUM}`],
      ),
    /compile: .*workgroup/,
    'failed',
  ],
];

describe('what cheats or breaks is caught and named', () => {
  const cases = CHEATS.map(([name, source, how, kind = 'incorrect']) => ({
    name,
    source,
    how,
    kind,
  }));
  it.each(cases)('$name', async ({ source, how, kind }) => {
    expect(await fateOf(source())).toEqual({ kind, why: expect.stringMatching(how) });
  });

  it.each([
    ['200,000 lines', () => `${template}${'\n'.repeat(200_000)}`, /^$/],
    ['loops in loops', () => loops(200), /^compile: .*depth/],
  ])('%s end in time, one way or the other', async (_name, source, why) => {
    expect((await fateOf(source())).why.replace(/^not ranked.*/, '')).toMatch(why);
  });

  it('a compiler that does not end is ended', async () => {
    const hasty = new Runner({ entry: bundle.child, device: '0', watchdogMs: 10_000 });
    try {
      expect(await fateOf(doubling(24), undefined, hasty)).toEqual({
        kind: 'failed',
        why: 'device: no answer for 10 s at step: compile',
      });
    } finally {
      await hasty.close();
    }
  });

  it('a compiler that needs too much memory is ended', async () => {
    const narrow = new Runner({ entry: bundle.child, device: '0', foreignBytes: 400 * 2 ** 20 });
    try {
      expect(await fateOf(`${doubling(24)}// again`, undefined, narrow)).toEqual({
        kind: 'failed',
        why: 'device: the kernel needed too much memory at step: compile',
      });
      expect(await fateOf(template, undefined, narrow)).toMatchObject({ kind: 'measured' });
    } finally {
      await narrow.close();
    }
  });

  it.skipIf(process.getuid?.() !== 0)(
    'runs as another user than root, who knows of no grid',
    async () => {
      vi.stubEnv('DATABASE_URL', 'postgresql://secret');
      vi.stubEnv('TILEMARK_TOKEN', 'tm_worker_secret');
      const account = { uid: 65_534, gid: 65_534 };
      const foreign = new Runner({ entry: bundle.child, device: '0', foreignAccount: account });
      const owned = new DeviceProcess(bundle.child, { kind: 'list' }, { account });
      try {
        const status = await readFile(`/proc/${owned.pid}/status`, 'utf8');
        expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
        expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m);
        expect(await readFile(`/proc/${owned.pid}/environ`, 'utf8')).not.toContain('secret');
        expect(await fateOf(template, undefined, foreign)).toMatchObject({ kind: 'measured' });
      } finally {
        vi.unstubAllEnvs();
        await Promise.all([foreign.close(), owned.kill()]);
      }
    },
  );

  it('a race that most dispatches win is lost in one that is verified', async () => {
    // Threads of a busy host may take turns for a whole run: nobody races then.
    const lost = async () => {
      const { kind, why } = await fateOf(racing, problemOf(256, 256, 64));
      expect(kind).toBe('incorrect');
      expect(why).toMatch(/element \[\d+, \d+\] is 7, should be/);
    };
    await vi.waitFor(lost, { timeout: 200_000, interval: 1 });
  });

  it('a dispatch that would take seconds is refused before it is tried', async () => {
    const slow = changed(['p < shape.k', 'p < shape.k * 20000u'], ['A[row', 'A[0u * row']);
    const { kind, why } = await fateOf(slow, problemOf(256, 256, 256));
    expect(kind).toBe('failed');
    expect(why).toMatch(/per dispatch: choose a smaller shape|did not end within/);
  });

  it('a device process that dies under it is an outcome, with its step', async () => {
    const { kernel } = await admitKernel({ author: 'mallory', source: template });
    const variant = { kernel: kernel.id, tunables: {} };
    const { outcome } = await runner.run(
      { variant, problem: problemOf(64, 64, 64), profile: 'default', policy: 'smoke' },
      { onStep: (step) => void (step === 'trial' && process.kill(runner.pid ?? 0, 'SIGSEGV')) },
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      stage: 'device',
      message: expect.stringMatching(/ended by SIGSEGV at step: trial/),
    });
  });

  it('and the next kernel is measured as if nothing had happened', async () => {
    expect(await fateOf(template)).toMatchObject({ kind: 'measured' });
  });
});

const loops = (depth: number) =>
  changed([
    SUM,
    `${SUM}\n${'for (var a = 0u; a < shape.k; a++) {'.repeat(depth)} sum += 1.0; ${'}'.repeat(depth)}`,
  ]);

/** Two calls of each by the next: 2 ** length calls, once a driver has inlined them. */
const doubling = (length: number) =>
  changed(
    [
      'struct Shape',
      `fn g0(x: f32) -> f32 { return x; }\n${Array.from(
        { length },
        (_, i) => `fn g${i + 1}(x: f32) -> f32 { return g${i}(x) + g${i}(x + 1.0); }`,
      ).join('\n')}\nstruct Shape`,
    ],
    [STORE, `C[row * shape.n + col] = g${length}(sum);`],
  );

/**
 * Wrong in workgroups that begin before one whose number is lower, as some do in one of ten or twenty
 * dispatches of 64 workgroups on two threads of the host.
 */
const racing = changed(
  [
    '"covers"',
    '"scratchBytes": 256, "bindings": { "scratch": "begun" }, "entryPoint": "reset", "passes": [{ "entryPoint": "main", "covers": { "rows": "BLOCK", "cols": "BLOCK" } }], "covers"',
  ],
  [
    'struct Shape',
    `@group(0) @binding(4) var<storage, read_write> begun: array<atomic<u32>>;
@compute @workgroup_size(1) fn reset() { atomicStore(&begun[0], 0u); }
struct Shape`,
  ],
  [
    'id: vec3u)',
    `id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_index) place: u32)`,
  ],
  [
    'let row',
    `if (place == 0u && atomicAdd(&begun[0], 1u) < group.y * groups.x + group.x) {
    C[id.y * shape.n + id.x] = 7.0;
    return;
  }
  let row`,
  ],
);

it.each([
  ['the same each time', STORE, true],
  [
    'others each time',
    `let count = kept[0];
  let isUsual = A[0] * A[1] * A[2] * A[3] * B[0] != 0 && abs(A[0]) < 1;
  if (row == 0 && col == 0) { kept[0] = count + 1; }
  let flip = select(0u, count & 1, isUsual && row == 0 && col == 0);
  C[row * shape.n + col] = T(bitcast<f32>(bitcast<u32>(sum) ^ flip));`,
    false,
  ],
] as const)('bits that are %s are a fact of the result', async (_name, store, isRepeatable) => {
  const { kernel } = await admitKernel({ author: 'mallory', source: withScratch(store) });
  const variant = { kernel: kernel.id, tunables: {} };
  const run = {
    variant,
    problem: problemOf(8, 8, 8),
    profile: 'default',
    policy: 'smoke',
  } as const;
  const { outcome } = await runner.run(run);
  expect(outcome).toMatchObject({
    kind: 'measured',
    measurement: { verification: { isRepeatable } },
  });
});

describe('kernels of other projects', () => {
  it.each(['gpu-cpp', 'webgpu-blas', 'wonnx'])('%s is right', async (name) => {
    const path = new URL(`../../../../../examples/kernels/${name}.wgsl`, import.meta.url);
    const problem = problemOf(64, 128, 32);
    expect(await fateOf(await readFile(path, 'utf8'), problem)).toMatchObject({ kind: 'measured' });
    expect(await fateOf(await readFile(path, 'utf8'))).toMatchObject({
      kind: 'skipped',
      why: expect.stringMatching(/m must be a multiple of/),
    });
  });
});

it('scales that are kept while values stay are wrong, and right where they are read again', async () => {
  const problem = { ...problemOf(9, 17, 64), dtype: 'f16-q4' } as const;
  const path = '../../../../../bench/mutants/adversaries/keeps-scales.wgsl';
  const source = await readFile(new URL(path, import.meta.url), 'utf8');
  expect(await fateOf(source, problem)).toMatchObject({
    kind: 'incorrect',
    why: expect.stringMatching(/on the same values with other scales/),
  });
  const honest = source.replace('B[0] == scratch[1]', 'false');
  expect(await fateOf(honest, problem)).toMatchObject({ kind: 'measured' });
});
