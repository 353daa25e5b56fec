import { isDeepStrictEqual } from 'node:util';
import { SUITES, type Sweep, suiteRef, suiteSpec } from '@tilemark/core';
import { isContributed, KERNELS, shapeText } from '@tilemark/kernels';
import { type CaseForm, emptyCase, paramsOf, type SweepForm } from './form';

type Copied = Pick<Sweep, 'isImported' | 'name' | 'spec' | 'suite'>;

/** The form filled in from a sweep, and what of it the form cannot say. */
export function formOfSweep(
  sweep: Copied,
  blank: SweepForm,
): { form: SweepForm; refused: readonly string[] } {
  const { devices = [], epilogue = '', policy, profiles } = sweep.spec;
  // The name of an import says that it was measured elsewhere, which its copy will not be.
  const name = sweep.isImported ? blank.name : `${sweep.name}, again`.slice(0, 120);
  const base: SweepForm = { ...blank, name, devices, epilogue };
  const suite = suiteOf(sweep);
  if (suite) {
    const choice = { from: 'suite', suite: suite.id, params: paramsOf(suite) } as const;
    return { form: { ...base, ...choice, policy, profiles }, refused: [] };
  }
  const cases = sweep.spec.cases.map(caseOf);
  const forms = cases.filter((each) => typeof each !== 'string');
  return {
    form: {
      ...base,
      from: 'hand',
      cases: forms.length > 0 ? forms : blank.cases,
      // By hand, the form has no other word for it.
      policy: policy === 'default' ? '' : policy,
      profiles,
    },
    refused: [
      ...cases.filter((each) => typeof each === 'string'),
      ...sweep.spec.cases.flatMap(({ kernel, rival }) =>
        rival && !isContributed(kernel)
          ? [`The turns of ${kernel} with ${rival.kernel}: this form has none.`]
          : [],
      ),
    ],
  };
}

/** The suite of a sweep with its usual parameters; with others, its cases are shown by hand. */
const suiteOf = ({ spec, suite: made }: Pick<Sweep, 'suite' | 'spec'>) =>
  SUITES.find(
    (suite) =>
      made === suiteRef(suite) &&
      // The database does not preserve the order of keys.
      isDeepStrictEqual(suiteSpec(suite.id).cases, spec.cases),
  );

/** The controls of a case, or why it cannot be shown. */
function caseOf({ dtypes, kernel: id, shapes, tunables }: Sweep['spec']['cases'][number]) {
  const kernel = KERNELS.find((each) => each.id === id);
  if (!kernel) {
    return isContributed(id)
      ? `${id}, a contributed kernel, which “tilemark submit” can send again.`
      : `The kernel ${id}, which no longer exists.`;
  }
  const blank = emptyCase(kernel);
  const chosen = Object.fromEntries(
    Object.entries(tunables)
      .filter(([name]) => name in blank.tunables)
      .map(([name, values]) => [name, values.map(String)]),
  );
  return {
    kernel: id,
    tunables: { ...blank.tunables, ...chosen },
    shapes: shapes.map((shape) => shapeText({ op: kernel.op, shape })).join(', '),
    dtypes,
  } satisfies CaseForm;
}
