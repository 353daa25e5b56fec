import { COMPUTES_NAN } from '@tilemark/core';
import {
  admitKernel,
  type Checked,
  type Contributed,
  type Finding,
  findingOf,
  type Measure,
} from '@tilemark/core/contributed';
import { DTYPES, type Dtype, idsOf, type KernelFile, opOf, volume } from '@tilemark/kernels';

/** Sides of tiles that kernels store whole. */
const TILES = [64, 32, 16, 8, 4, 2];

/**
 * What fits exactly how a kernel is wrong, each a sentence; none where nothing does. A change that makes it
 * right on a shape tells what was wrong.
 */
export async function hintsOf(
  checked: readonly Checked[],
  contributed: Contributed,
  measure: Measure,
): Promise<string[]> {
  const those = (finding: Finding) =>
    checked.filter(({ outcome }) => findingOf(outcome) === finding);
  const wrong = those('wrong');
  // A single element fits anything.
  const several = wrong.filter(({ problem }) => volume(problem) > 1);
  const [smallest] = several.toSorted((a, b) => volume(a.problem) - volume(b.problem));
  if (!smallest) return [];
  for (const [words, file, dtype] of changesOf(contributed, smallest.problem.dtype)) {
    const changed = await admitKernel(file).catch(() => null);
    if (!changed) continue;
    const variant = { ...smallest.variant, kernel: changed.kernel.id };
    const { outcome } = await measure(variant, { ...smallest.problem, dtype }, 'smoke');
    if (findingOf(outcome) === 'right') return [words];
  }
  const right = those('right');
  const fitting = [...alongHint(contributed, right, wrong), ...shapeHint(right, wrong)];
  return fitting.length > 0 ? fitting : nanHint(smallest);
}

type Change = readonly [words: string, file: KernelFile, dtype: Dtype];

function changesOf({ file, manifest }: Contributed, dtype: Dtype): Change[] {
  const as = (change: object) => ({
    ...file,
    manifest: JSON.stringify({ ...manifest, ...change }),
  });
  const changes: Change[] = [];
  const unset = unsetInLoops(file.source);
  if (unset[0]) {
    const words = `line ${unset[0].line} has a variable that is declared in a loop without a value: this device does not zero it each turn, as WGSL says; give it one`;
    const set = unset.reduceRight(
      (text, { at, type }) => `${text.slice(0, at)} = ${type}()${text.slice(at)}`,
      file.source,
    );
    changes.push([words, { ...file, source: set }, dtype]);
  }
  const byRows = idsOf(DTYPES).find((id) => id === `${dtype}-nt`);
  if (byRows) {
    const words = `it computes C = A x B^T, of a B by rows (n x k): declare "dtypes": ["${byRows}"], or read B[p * n + col]`;
    changes.push([words, as({ dtypes: [byRows] }), byRows]);
  }
  if (manifest.covers) {
    const order = manifest.covers.order === 'rows-x' ? 'cols-x' : 'rows-x';
    const words = `right where its workgroups run the other way: declare "order": "${order}" in "covers"`;
    changes.push([words, as({ covers: { ...manifest.covers, order } }), dtype]);
  }
  return changes;
}

const computesNaN = ({ outcome }: Checked): boolean =>
  outcome.kind === 'incorrect' && outcome.reason?.endsWith(COMPUTES_NAN) === true;

/** NaN that it computes: what lies behind the inputs. A is the same for a row, B for a column. */
function nanHint({ outcome, problem }: Checked): string[] {
  if (outcome.kind !== 'incorrect' || !outcome.reason?.endsWith(COMPUTES_NAN)) return [];
  const { output, tensors } = opOf(problem);
  const { row, col } = outcome.worst;
  const inputs = tensors.slice(0, -1);
  const isLast = row > 0 && row === output(problem.shape).rows - 1;
  const what = row === 0 && col > 0 ? inputs.at(-1) : isLast ? inputs[0] : inputs.join(' or ');
  return problem.epilogue
    ? ['it computes NaN: from behind an input, or by tanh, which is NaN beyond 89 on some devices']
    : [`NaN lies behind the inputs: a read past the end of ${what}?`];
}

/** Workgroups in a line that go on along y where there are too many for x. */
function alongHint(
  { kernel, manifest: { workgroups } }: Contributed,
  right: readonly Checked[],
  wrong: readonly Checked[],
): string[] {
  const goesOn = ({ problem, variant }: Checked) =>
    kernel.workgroups(variant.tunables, problem)[1] > 1;
  if (!workgroups || Array.isArray(workgroups) || right.some(goesOn) || !wrong.every(goesOn))
    return [];
  return [
    'right up to 65,535 workgroups: those beyond are along y, so count by workgroup_id.y, too',
  ];
}

type Sides = Readonly<Record<string, number>>;
type Fits = (holds: (sides: Sides) => boolean) => boolean;

function shapeHint(right: readonly Checked[], wrong: readonly Checked[]): string[] {
  // A single shape fits anything.
  if (right.length < 2) return [];
  const fits: Fits = (holds) =>
    right.every(({ problem }) => holds(problem.shape as unknown as Sides)) &&
    wrong.every(({ problem }) => !holds(problem.shape as unknown as Sides));
  if (fits(({ m, k }) => m === 1 || k === 1))
    return ['right where m or k is 1: does it read A by columns (k x m)?'];
  if (fits(({ m, n }) => m === 1 || n === 1))
    return ['right where m or n is 1: does it write C by columns (n x m)?'];
  const strides = strideHint(right, wrong, fits);
  if (strides.length > 0) return strides;
  const tile = TILES.find((side) => fits(({ m = 1, n = 1 }) => m % side === 0 && n % side === 0));
  if (tile !== undefined) {
    return [
      `right where m and n are multiples of ${tile}: it stores whole tiles; bound them, or declare "multiples"`,
    ];
  }
  const step = TILES.find((side) => fits(({ k = 1 }) => k % side === 0));
  return step === undefined
    ? []
    : [`right where k is a multiple of ${step}: bound the last step, or declare "multiples"`];
}

/** A side taken for a stride: right where it is as long, and where there is but one row to read or write. */
function strideHint(right: readonly Checked[], wrong: readonly Checked[], fits: Fits): string[] {
  const order = wrong[0] && DTYPES[wrong[0].problem.dtype].tensors.B.order;
  const inputs = ['A m k', order === 'transposed' ? 'B n k' : 'B k n'];
  // A wrong stride of C leaves elements unwritten; one of an input does not.
  const ofNaN = wrong.filter(
    ({ outcome }) => outcome.kind === 'incorrect' && outcome.worst.got === 'NaN',
  );
  const tensors = [
    ...(ofNaN.every(computesNaN) ? inputs : []),
    ...(ofNaN.some(computesNaN) ? [] : ['C m n']),
  ];
  const found = new Map<string, string[]>();
  for (const [tensor = '', rows = '', stride = ''] of tensors.map((text) => text.split(' '))) {
    for (const side of ['m', 'n', 'k'].filter((each) => each !== stride)) {
      const isSame = (sides: Sides) => sides[side] === sides[stride];
      if (!fits((sides) => isSame(sides) || sides[rows] === 1)) continue;
      const same = ['m', 'n', 'k'].filter((each) => each === side || each === stride).join(' = ');
      const isAll = right.every(({ problem }) => isSame(problem.shape as unknown as Sides));
      const where = isAll ? same : `${same} or ${rows} is 1`;
      found.set(where, [...(found.get(where) ?? []), `${side} for the stride of ${tensor}`]);
    }
  }
  return [...found].map(([at, all]) => `right where ${at}: does it take ${all.join(', or ')}?`);
}

/** Where variables are declared without a value in loops: their lines, types, and the ends of their types. */
export function unsetInLoops(source: string) {
  const text = source.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  );
  const found: { readonly line: number; readonly type: string; readonly at: number }[] = [];
  /** For each open brace, whether it or one around it is a loop's. */
  const open: boolean[] = [];
  let isLoop = false;
  for (const { 0: part, 1: type, index } of text.matchAll(
    /[{}]|\b(?:for|while|loop|fn)\b|\bvar\s+\w+\s*:\s*([^;={}]{1,200});/g,
  )) {
    if (part === '{') {
      open.push(isLoop || open.at(-1) === true);
      isLoop = false;
    } else if (part === '}') open.pop();
    else if (type === undefined) isLoop = part !== 'fn';
    else if (open.at(-1)) {
      const line = text.slice(0, index).split('\n').length;
      found.push({ line, type: type.trim(), at: index + part.length - 1 });
    }
  }
  return found;
}
