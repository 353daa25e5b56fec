import { expect } from '@playwright/test';

/** Brings a file of `bench --json` to a grid, as a line of all but the results and a line per result. */
export async function bring(
  { adminToken, url }: { readonly adminToken: string; readonly url: string },
  { results, ...rest }: { readonly results: readonly unknown[] },
  token = adminToken,
): Promise<{ id: string }> {
  const answer = await fetch(`${url}/api/v1/results/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/x-ndjson' },
    body: [rest, ...results].map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer.json();
}
