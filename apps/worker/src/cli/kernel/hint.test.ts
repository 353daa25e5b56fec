import { COMPUTES_NAN, type Outcome } from '@tilemark/core';
import { admitKernel, type Checked, kernelTemplate } from '@tilemark/core/contributed';
import { kernelById, type MatmulShape, type Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { hintsOf, unsetInLoops } from './hint';

const SHAPES = [
  ...[
    [64, 64, 64],
    [17, 31, 5],
    [33, 65, 127],
    [3, 5, 5],
    [128, 256, 192],
    [100, 96, 48],
  ],
  ...[
    [129, 1, 64],
    [2100, 2000, 3],
    [7, 64, 64],
    [1, 9, 7],
    [5, 7, 1],
    [9, 9, 4],
    [6, 3, 6],
  ],
] as const;

const WRONG = { row: 0, col: 0, got: 1, want: 2, bound: 0 };
type Incorrect = Partial<Extract<Outcome, { kind: 'incorrect' }>>;

const checkedOn = (
  isRight: (m: number, n: number, k: number) => boolean,
  wrong: Incorrect = {},
): Checked[] =>
  SHAPES.map(([m, n, k]) => ({
    variant: { kernel: 'local/mine', tunables: {} },
    problem: { op: 'matmul', shape: { m, n, k }, dtype: 'f32' } as Problem,
    outcome: (isRight(m, n, k)
      ? { kind: 'measured' }
      : { kind: 'incorrect', worst: WRONG, ...wrong }) as Outcome,
  }));

const template = kernelTemplate('hinted');

/** Hints for the template, where changes make it right for which this holds. */
async function hintsFor(
  checked: readonly Checked[],
  makesRight: (wgsl: string, problem: Problem) => boolean = () => false,
  source = template,
) {
  const contributed = await admitKernel({ author: 'ada', source });
  return hintsOf(checked, contributed, async (variant, problem) => {
    const { file } = kernelById(variant.kernel) as { file?: { source: string; manifest?: string } };
    const isRight = makesRight(`${file?.source} ${file?.manifest}`, problem);
    const outcome = { kind: isRight ? 'measured' : 'incorrect', worst: WRONG } as Outcome;
    return { variant, problem, outcome };
  });
}

it.each<[string, (m: number, n: number, k: number) => boolean, RegExp[]]>([
  ['of one row, or n = k', (m, n, k) => m === 1 || n === k, [/n for .* of A, or k for .* of C\?$/]],
  [
    'of one row, or m = k',
    (m, _, k) => m === 1 || m === k,
    [/^right .* m = k or m is 1: .* m for the stride of A\?$/],
  ],
  [
    'of one row, or m = n',
    (m, n) => m === 1 || m === n,
    [/^right .* m = n or m is 1: .* m for the stride of C\?$/],
  ],
  [
    'of one step, or n = k',
    (_, n, k) => k === 1 || n === k,
    [/^right .* n = k or k is 1: .* k for the stride of B\?$/],
  ],
  [
    'of one step, or m = n',
    (m, n, k) => k === 1 || m === n,
    [/^right .* m = n or k is 1: .* m for the stride of B\?$/],
  ],
  [
    'of whole tiles',
    (m, n) => (m % 4) + (n % 4) === 0,
    [/m and n are multiples of 4: .* "multiples"/],
  ],
  ['of whole steps', (_m, _n, k) => k % 16 === 0, [/k is a multiple of 16/]],
  ['of one row or step', (m, _n, k) => m === 1 || k === 1, [/does it read A by columns/]],
  ['of one row or column', (m, n) => m === 1 || n === 1, [/does it write C by columns/]],
  ['that nothing explains', (m) => m !== 17, []],
  ['that is right', () => true, []],
  ['that is wrong everywhere', () => false, []],
])('the hint fits a kernel %s', async (_, isRight, hints) => {
  const given = await hintsFor(checkedOn(isRight));
  expect(given).toEqual(hints.map((hint) => expect.stringMatching(hint)));
});

it.each<[string, Parameters<typeof hintsFor>[1], RegExp]>([
  ['reads B by rows', (_, { dtype }) => dtype === 'f32-nt', /C = A x B\^T.*"dtypes": \["f32-nt"\]/],
  ['runs along rows', (wgsl) => wgsl.includes('"order":"rows-x"'), /"order": "rows-x" in "covers"/],
  [
    'sums in a variable that a loop declares',
    (wgsl) => wgsl.includes('var part: Acc = Acc();'),
    /^line \d+ has a variable .* this device does not zero it each turn/,
  ],
])('a change that makes a kernel right tells that it %s', async (_, makesRight, hint) => {
  const loop = 'for (var i = 0u; i < 1u; i++) { var part: Acc; sum += part; }';
  const source = template.replace('C[row', `${loop}\n  C[row`);
  const hints = await hintsFor(
    checkedOn(() => false),
    makesRight,
    source,
  );
  expect(hints).toEqual([expect.stringMatching(hint)]);
});

it('a kernel that is wrong where its workgroups go on along y is told so', async () => {
  const source = template.replace(/"covers": \{.*?\}/, '"workgroups": { "linear": "m * n / 64" }');
  const hint = /^right up to 65,535 workgroups: .* workgroup_id\.y, too$/;
  const few = checkedOn((m, n) => m * n <= 64 * 65_535);
  expect(await hintsFor(few, undefined, source)).toEqual([expect.stringMatching(hint)]);
  expect(await hintsFor(few)).toEqual([]);
  const fewer = checkedOn((m, n) => m * n < 10_000);
  expect(await hintsFor(fewer, undefined, source)).toEqual([]);
});

it('what cannot be told apart is told together', async () => {
  const several = checkedOn((_, n, k) => n === k).filter(({ problem: { shape } }) => {
    const { m, k } = shape as MatmulShape;
    return m > 1 && k > 1;
  });
  expect(await hintsFor(several)).toEqual([
    'right where n = k: does it take n for the stride of A, or k for the stride of B, or k for the stride of C?',
  ]);
});

it.each([
  [0, 0, 'A or B'],
  [0, 1, 'B'],
  [8, 8, 'A or B'],
  [16, 0, 'A'],
])('NaN that is computed first at [%d, %d] is read behind %s', async (row, col, inputs) => {
  const reason = `element [${row}, ${col}] is NaN, should be 2${COMPUTES_NAN}`;
  const wrong = { reason, worst: { ...WRONG, row, col, got: 'NaN' } };
  const hint = `NaN lies behind the inputs: a read past the end of ${inputs}?`;
  expect(await hintsFor(checkedOn((m) => m !== 17, wrong))).toEqual([hint]);
  // What fits exactly is told instead.
  const fitting = await hintsFor(checkedOn((m, n, k) => m === 1 || n === k, wrong));
  expect(fitting).toEqual(['right where n = k or m is 1: does it take n for the stride of A?']);
});

it('NaN that is computed under an epilogue may be that of a tanh', async () => {
  const reason = `element [0, 0] is NaN, should be 2${COMPUTES_NAN}`;
  const checked = checkedOn((m) => m !== 17, { reason, worst: { ...WRONG, got: 'NaN' } });
  const under = checked.map((each) => ({
    ...each,
    problem: { ...each.problem, epilogue: 'gelu' } as Problem,
  }));
  expect(await hintsFor(under)).toEqual([expect.stringMatching(/by tanh, which is NaN beyond 89/)]);
});

it('variables without a value in a loop are found with their types', () => {
  const declared = 'fn f() {\n  var a: u32;\n  for (var p = 0u; p < 4; p++) {\n    if (p > 1) {\n';
  const source = `${declared}      var sums: array<f32, 4>;\n}}}`;
  expect(unsetInLoops(source)).toEqual([
    { line: 5, type: 'array<f32, 4>', at: source.indexOf(';\n}}}') },
  ]);
  expect(unsetInLoops(`${declared}      var sum: f32 = 0;\n// var x: f32;\n}}}`)).toEqual([]);
  expect(unsetInLoops(`${declared}}}}\nfn g() { var b: f32; }`)).toEqual([]);
});
