import {
  dtypeSchema,
  type NewSweep,
  newSweepSchema,
  parseShapes,
  policyIdSchema,
  profileSchema,
  type SweepSpec,
  suiteSpec,
} from '@tilemark/core';
import { InputError, type Kernel, kernelById, parseTunableValue } from '@tilemark/kernels';
import { z } from 'zod';

/** One kernel of a sweep built by hand, as its controls hold it. */
export const caseFormSchema = z.object({
  kernel: z.string(),
  /** Chosen values as text, by tunable; none chosen means the default. */
  tunables: z.record(z.string(), z.array(z.string())),
  /** `512, 256x128x64` or `256..4096 x2`, see `parseShapes`. */
  shapes: z.string().trim().min(1, 'Write at least one shape, for example 512 or 256x128x64.'),
  dtypes: z.array(dtypeSchema).min(1, 'Choose at least one element type.'),
});
export type CaseForm = z.infer<typeof caseFormSchema>;

/** What the controls hold; `toNewSweep` makes the request of it. */
export const sweepFormSchema = z.object({
  name: z.string().trim().max(120, 'At most 120 characters.'),
  from: z.enum(['suite', 'hand']),
  suite: z.string(),
  params: z.record(z.string(), z.string()),
  cases: z.array(caseFormSchema),
  /** None: as the suite says, or `default` by hand. */
  profiles: z.array(profileSchema),
  /** Empty: as the suite says, or `default` by hand. */
  policy: z.union([policyIdSchema, z.literal('')]),
  /** None: every device with a worker attached. */
  devices: z.array(z.string()),
});
export type SweepForm = z.infer<typeof sweepFormSchema>;

export const emptyCase = (kernel: Kernel): CaseForm => ({
  kernel: kernel.id,
  tunables: Object.fromEntries(
    kernel.tunables.map((tunable) => [tunable.name, [String(tunable.default)]]),
  ),
  shapes: '512',
  dtypes: ['f32'],
});

/** The name a sweep is given where none is written: what it measures, in a few words. */
export function suggestedName({ cases, from, params, suite }: SweepForm): string {
  if (from === 'suite') {
    const values = Object.entries(params).map(([name, value]) => `${name} = ${value}`);
    return [suite, ...values].join(', ');
  }
  const kernels = [...new Set(cases.map(({ kernel }) => kernel))];
  const [first = 'sweep', second] = kernels;
  return second ? `${first} and ${kernels.length - 1} more` : first;
}

/** Throws `InputError` naming the field, as the server would. */
export function toNewSweep(form: SweepForm): NewSweep {
  const name = form.name.trim() || suggestedName(form);
  const devices = form.devices.length > 0 ? { devices: form.devices } : {};
  const profiles = form.profiles.length > 0 ? { profiles: form.profiles } : {};
  const policy = form.policy ? { policy: form.policy } : {};
  if (form.from === 'suite') {
    const params = Object.fromEntries(
      Object.entries(form.params).map(([param, text]) => [param, numberOf(text, param)]),
    );
    return { name, suite: form.suite, params, ...profiles, ...policy, ...devices };
  }
  const cases = form.cases.map(specCase);
  return newSweepSchema.parse({ name, spec: { cases, ...profiles, ...policy, ...devices } });
}

/** The specification a request stands for: what is counted while the form is filled in. */
export function specOf(sweep: NewSweep): SweepSpec {
  if ('spec' in sweep) return sweep.spec;
  const { devices, params, policy, profiles, suite } = sweep;
  return {
    ...suiteSpec(suite, params),
    ...(profiles && { profiles }),
    ...(policy && { policy }),
    ...(devices && { devices }),
  };
}

function numberOf(text: string, param: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) {
    throw new InputError(`${param} is a whole number.`, `params.${param}`);
  }
  return value;
}

function specCase(form: CaseForm, index: number): SweepSpec['cases'][number] {
  const path = `cases[${index}]`;
  const kernel = kernelById(form.kernel, `${path}.kernel`);
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

/**
 * The control that a field of a request belongs to:
 * `spec.cases[0].shapes[1].m` is written in `cases.0.shapes`. Null: none.
 */
export function controlOf(field: string): string | null {
  const path = field
    .replace(/^spec\./, '')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.');
  const [root, index, part, name] = path;
  if (root === 'cases') {
    if (index === undefined || part === undefined) return 'cases';
    if (part === 'tunables') return ['cases', index, part, ...(name ? [name] : [])].join('.');
    return ['cases', index, part].join('.');
  }
  if (root === 'params' && index !== undefined) return `params.${index}`;
  const controls = ['name', 'suite', 'profiles', 'policy', 'devices', 'params'];
  return root !== undefined && controls.includes(root) ? root : null;
}
