/** The sweep form: its state, its checks, and the spec it submits. */
import {
  dtypeSchema,
  epilogueSchema,
  findSuite,
  type NewSweep,
  newSweepSchema,
  POLICY_IDS,
  PROFILES,
  parseShapes,
  policyIdSchema,
  profileSchema,
  SUITES,
  type Suite,
  type SweepSpec,
} from '@tilemark/core';
import { InputError, KERNELS, type Kernel, kernelById, parseTunableValue } from '@tilemark/kernels';
import type { Control, FieldPath } from 'react-hook-form';
import { z } from 'zod';

/** The controls of one kernel in a sweep built by hand. */
const caseFormSchema = z.object({
  kernel: z.string(),
  /** Chosen values as text, by tunable; none means the default. */
  tunables: z.record(z.string(), z.array(z.string())),
  /** `512, 256x128x64` or `256..4096 x2`, see `parseShapes`. */
  shapes: z.string(),
  dtypes: z.array(dtypeSchema),
});
export type CaseForm = z.infer<typeof caseFormSchema>;

/** The values of the controls. */
export const controlsSchema = z.object({
  name: z.string().trim().max(120, 'At most 120 characters.'),
  from: z.enum(['suite', 'hand']),
  suite: z.string(),
  params: z.record(z.string(), z.string()),
  cases: z.array(caseFormSchema),
  /** None: the suite's own, or `default` by hand. */
  profiles: z.array(profileSchema),
  /** Empty: the suite's own, or `default` by hand. */
  policy: z.union([policyIdSchema, z.literal('')]),
  /** Empty: the product alone. */
  epilogue: z.union([epilogueSchema, z.literal('')]),
  /** None: every device with a worker attached. */
  devices: z.array(z.string()),
});
export type SweepForm = z.infer<typeof controlsSchema>;
export type SweepControl = Control<SweepForm, unknown, NewSweep>;

export const emptyCase = (kernel: Kernel): CaseForm => ({
  kernel: kernel.id,
  tunables: Object.fromEntries(
    kernel.tunables.map((tunable) => [tunable.name, [String(tunable.default)]]),
  ),
  shapes: '512',
  dtypes: ['f32'],
});

/** The name of a sweep left unnamed: what it measures, in a few words. */
export function suggestedName({ cases, from, params, suite }: SweepForm): string {
  if (from === 'suite') {
    const values = Object.entries(params).map(([name, value]) => `${name} = ${value}`);
    return [suite, ...values].join(', ');
  }
  const kernels = [...new Set(cases.map(({ kernel }) => kernel))];
  const [first = 'sweep', second] = kernels;
  return second ? `${first} and ${kernels.length - 1} more` : first;
}

/** Throws `InputError` with the field, as the server would. */
export function toNewSweep(form: SweepForm): NewSweep {
  const name = form.name.trim() || suggestedName(form);
  const devices = form.devices.length > 0 ? { devices: form.devices } : {};
  const profiles = form.profiles.length > 0 ? { profiles: form.profiles } : {};
  const how = {
    ...(form.policy && { policy: form.policy }),
    ...(form.epilogue && { epilogue: form.epilogue }),
  };
  if (form.from === 'suite') {
    const params = Object.fromEntries(
      Object.entries(form.params).map(([param, text]) => [param, numberOf(text, param)]),
    );
    return { name, suite: form.suite, params, ...profiles, ...how, ...devices };
  }
  const cases = form.cases.map(specCase);
  return newSweepSchema.parse({ name, spec: { cases, ...profiles, ...how, ...devices } });
}

function numberOf(text: string, param: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new InputError(`${param} must be a whole number.`, `params.${param}`);
  }
  return value;
}

function specCase(form: CaseForm, index: number): SweepSpec['cases'][number] {
  const path = `cases[${index}]`;
  const kernel = kernelById(form.kernel, `${path}.kernel`);
  const refuse = (control: string, message: string) => {
    throw new InputError(message, `${path}.${control}`);
  };
  if (form.shapes.trim() === '') {
    refuse('shapes', 'Enter at least one shape, for example 512 or 256x128x64.');
  }
  if (form.dtypes.length === 0) refuse('dtypes', 'Choose at least one element type.');
  const shapes = parseShapes(kernel.op, form.shapes, `${path}.shapes`);
  const tunables = Object.fromEntries(
    kernel.tunables.flatMap((tunable) => {
      const chosen = form.tunables[tunable.name] ?? [];
      return chosen.length > 0
        ? [[tunable.name, chosen.map((text) => parseTunableValue(tunable, text))]]
        : [];
    }),
  );
  return { kernel: kernel.id, tunables, shapes, dtypes: form.dtypes };
}

const CONTROL =
  /^(cases(\.\d+\.(kernel|shapes|dtypes|tunables(\.\w+)?))?|params(\.\w+)?|name|suite|profiles|policy|epilogue|devices)\b/;

/** The control for a field of a request: `cases.0.shapes` for `spec.cases[0].shapes[1].m`. Null if it has none. */
export function controlOf(field: string): FieldPath<SweepForm> | null {
  const path = field.replace(/^spec\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  return (CONTROL.exec(path)?.[0] as FieldPath<SweepForm> | undefined) ?? null;
}

/** Parameters of `/sweeps/new`, besides those of the suite and the kernel's tunables by name. */
export const prefillSchema = z.object({
  name: z.string().max(120).optional(),
  suite: z.enum(SUITES.map(({ id }) => id)).optional(),
  kernel: z.enum(KERNELS.map(({ id }) => id)).optional(),
  shape: z.string().max(400).optional(),
  dtype: dtypeSchema.optional(),
  profile: z.enum(PROFILES).optional(),
  policy: z.enum(POLICY_IDS).optional(),
  device: z.string().max(300).optional(),
  /** A sweep to copy; other parameters are then ignored. */
  sweep: z.string().max(64).optional(),
});
export type Prefill = z.infer<typeof prefillSchema>;

/** The controls of a suite's parameters, with their usual values unless others are asked for. */
export const paramsOf = (
  { params }: Pick<Suite, 'params'>,
  asked: (name: string) => string | undefined = () => undefined,
): SweepForm['params'] =>
  Object.fromEntries(
    params.map(({ default: usual, name }) => [name, asked(name) ?? String(usual)]),
  );

const DEFAULT_SUITE = 'starter';

/**
 * The form as a query string fills it: `?suite=layouts&n=512`, or
 * `?kernel=matmul/tiled&TILE=8,16&shape=512&dtype=f32`.
 */
export function prefilled(
  prefill: Prefill,
  extra: (name: string) => string | undefined,
): SweepForm {
  const suite = findSuite(prefill.suite ?? DEFAULT_SUITE);
  const kernel = KERNELS.find(({ id }) => id === prefill.kernel) ?? KERNELS[0];
  if (!kernel) throw new InputError('No kernel is registered.', 'kernel');
  const blank = emptyCase(kernel);
  const chosen = Object.fromEntries(
    kernel.tunables.flatMap(({ name, values }) => {
      const texts = extra(name)?.split(/[,;]/) ?? [];
      const valid = texts.filter((text) => values.some((value) => String(value) === text));
      return valid.length > 0 ? [[name, valid]] : [];
    }),
  );
  return {
    name: prefill.name ?? '',
    from: prefill.kernel && !prefill.suite ? 'hand' : 'suite',
    suite: suite.id,
    params: paramsOf(suite, extra),
    cases: [
      {
        ...blank,
        tunables: { ...blank.tunables, ...chosen },
        shapes: prefill.shape ?? blank.shapes,
        dtypes: [prefill.dtype ?? 'f32'],
      },
    ],
    profiles: prefill.profile ? [prefill.profile] : [],
    policy: prefill.policy ?? '',
    epilogue: '',
    devices: prefill.device?.split(/[,;]/) ?? [],
  };
}
