import { isDeepStrictEqual } from 'node:util';
import { type NewSweep, SUITES, type Sweep, suiteSpec } from '@tilemark/core';
import { KERNELS, opById, shapeText } from '@tilemark/kernels';
import { isInputError } from '@/server/known-errors';
import { type CaseForm, emptyCase, type SweepForm, toNewSweep } from './form';
import { prefilled } from './prefill';

/** The form as a sweep would fill it, and what of the sweep the registry no longer has. */
export function formOfSweep(
  sweep: Pick<Sweep, 'name' | 'suite' | 'spec'>,
  blank: SweepForm,
): { form: SweepForm; refused: readonly string[] } {
  const { devices = [], policy, profiles } = sweep.spec;
  const base = { ...blank, name: `${sweep.name}, again`.slice(0, 120), devices };
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
      policy,
      profiles,
    },
    refused: cases.filter((each) => typeof each === 'string'),
  };
}

/** The request that submits a sweep once more; null where the registry has lost a part of it. */
export function againOf(sweep: Pick<Sweep, 'name' | 'suite' | 'spec'>): NewSweep | null {
  const { form, refused } = formOfSweep(
    sweep,
    prefilled({}, () => undefined),
  );
  if (refused.length > 0) return null;
  try {
    return toNewSweep(form);
  } catch (error) {
    if (isInputError(error)) return null;
    throw error;
  }
}

/**
 * The suite and the parameters a sweep was made with: a sweep keeps its cases,
 * so these are the parameters that give the same cases. Null: made by hand, of
 * another version of the suite, or of several parameters that were changed.
 */
function suiteOf({ spec, suite: made }: Pick<Sweep, 'suite' | 'spec'>) {
  const suite = SUITES.find(({ id, version }) => made === `${id}@${version}`);
  if (!suite) return null;
  const sizes = new Set(
    spec.cases.flatMap(({ kernel, shapes }) => {
      const op = KERNELS.find(({ id }) => id === kernel)?.op;
      return op ? shapes.flatMap((shape) => [...opById(op).sizes(shape)]) : [];
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
  // The database does not keep the order of keys.
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

/** A case as its controls hold it, or why it cannot be shown. */
function caseOf({ dtypes, kernel: id, shapes, tunables }: Sweep['spec']['cases'][number]) {
  const kernel = KERNELS.find((each) => each.id === id);
  if (!kernel) return `There is no kernel ${id} any more.`;
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
