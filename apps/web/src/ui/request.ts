import { problemDetailsSchema } from '@tilemark/core';

/** Asks the API to change something; why it was refused, or null when it was done. */
export async function refusal(url: string, init: RequestInit): Promise<string | null> {
  try {
    const response = await fetch(url, init);
    if (response.ok) return null;
    const problem = problemDetailsSchema.safeParse(await response.json());
    return problem.success ? problem.data.detail : `The server answered ${response.status}.`;
  } catch {
    return 'The server could not be reached. Nothing was changed.';
  }
}
