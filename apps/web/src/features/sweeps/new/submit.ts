import { type NewSweep, problemDetailsSchema, sweepCreatedSchema } from '@tilemark/core';

export type Submitted =
  | { readonly ok: true; readonly id: string }
  /** `field` names what is at fault in the request, where the server could say. */
  | { readonly ok: false; readonly message: string; readonly field: string | null };

/** Posts a sweep; never throws. */
export async function submitSweep(sweep: NewSweep): Promise<Submitted> {
  try {
    const response = await fetch('/api/v1/sweeps', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(sweep),
    });
    const body: unknown = await response.json();
    if (response.ok) return { ok: true, id: sweepCreatedSchema.parse(body).id };
    const problem = problemDetailsSchema.safeParse(body);
    return problem.success
      ? { ok: false, message: problem.data.detail, field: problem.data.field ?? null }
      : { ok: false, message: `The server answered ${response.status}.`, field: null };
  } catch {
    return {
      ok: false,
      message: 'The server could not be reached. Nothing was submitted.',
      field: null,
    };
  }
}
