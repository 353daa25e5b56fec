import { type NewSweep, problemDetailsSchema, sweepCreatedSchema } from '@tilemark/core';

export type Submitted =
  | { readonly ok: true; readonly id: string }
  /** `field` names what is at fault in the request, where the server could say. */
  | { readonly ok: false; readonly message: string; readonly field: string | null };

/** Posts a sweep; never throws. */
export const submitSweep = (sweep: NewSweep): Promise<Submitted> =>
  posted('/api/v1/sweeps', JSON.stringify(sweep));

/** Posts a file of `bench --json`, which becomes a finished sweep; never throws. */
export const submitResults = (file: Blob): Promise<Submitted> =>
  posted('/api/v1/results/import', file);

async function posted(url: string, content: BodyInit): Promise<Submitted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: content,
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
