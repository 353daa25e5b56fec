import { isDeepStrictEqual } from 'node:util';
import { isContributed, type NewSweep, SUITES, type Sweep, suiteSpec } from '@tilemark/core';
import { KERNELS, opById, shapeText } from '@tilemark/kernels';
import {
  type CaseForm,
  emptyCase,
  prefilled,
  type SweepForm,
  suggestedName,
  toNewSweep,
} from './form';

type Copied = Pick<Sweep, 'isImported' | 'name' | 'spec' | 'suite'>;

/** The form filled in from a sweep, and what of it the form cannot say. */
export function formOfSweep(
  sweep: Copied,
  blank: SweepForm,
): { form: SweepForm; refused: readonly string[] } {
  const { devices = [], epilogue = '', policy, profiles, regime = '' } = sweep.spec;
  // The name of an import says that it was measured elsewhere, which its copy will not be.
  const name = sweep.isImported ? blank.name : `${sweep.name}, again`.slice(0, 120);
  const base: SweepForm = { ...blank, name, devices, epilogue, regime };
  const asSuite = suiteOf(sweep);
  if (asSuite) {
    const form: SweepForm = { ...base, from: 'suite', ...asSuite, policy, profiles };
    return { form, refused: [] };
  }
  const cases = sweep.spec.cases.map(caseOf);
  const known = cases.filter((each) => typeof each !== 'string');
  return {
    form: {
      ...base,
      from: 'hand',
      cases: known.length > 0 ? known : blank.cases,
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

/** The request that submits a sweep again. */
export function againOf(sweep: Copied): NewSweep {
  const { form } = formOfSweep(
    sweep,
    prefilled({}, () => undefined),
  );
  if (form.from === 'suite') return toNewSweep(form);
  return { name: form.name || suggestedName(form), spec: sweep.spec };
}

/**
 * The suite and parameters of a sweep. Only its cases are stored, so these are the parameters
 * that give the same cases. Null if it was built by hand, from another version of the suite, or
 * with several parameters changed.
 */
function suiteOf({ spec, suite: made }: Pick<Sweep, 'suite' | 'spec'>) {
  const suite = SUITES.find(({ id, version }) => made === `${id}@${version}`);
  if (!suite) return null;
  const sizes = new Set(
    spec.cases.flatMap(({ kernel, shapes }) => {
      const op = KERNELS.find(({ id }) => id === kernel)?.op;
      return op ? shapes.flatMap((shape) => [...opById(op).sides(shape)]) : [];
    }),
  );
  const [param] = suite.params;
  const candidates = [
    {},
    ...(param
      ? [...sizes]
          .filter((size) => size >= param.min && size <= param.max)
          .map((size) => ({ [param.name]: size }))
      : []),
  ];
  // The database does not preserve the order of keys.
  const params = candidates.find((values) =>
    isDeepStrictEqual(suiteSpec(suite.id, values).cases, spec.cases),
  );
  if (!params) return null;
  return {
    suite: suite.id,
    params: Object.fromEntries(
      suite.params.map((each) => [each.name, String(params[each.name] ?? each.default)]),
    ),
  };
}

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
