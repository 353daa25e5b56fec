import { expect } from '@playwright/test';
import type { Grid } from './grid';

/** Cancels the suites that this machine's GPU and CPU begin with, so that tests need not wait for them. */
export async function cancelStarters({ adminToken, url }: Grid): Promise<void> {
  const get = async (path: string) => (await fetch(`${url}/api/v1${path}`)).json();
  // A device's suites are submitted one after another: they are there once none is added.
  let before = -1;
  const begun = async () => {
    const [devices, sweeps] = await Promise.all([get('/devices'), get('/sweeps')]);
    const waiting = devices.items.filter(({ pending }: { pending: number }) => pending > 0);
    const isSteady = sweeps.items.length === before;
    before = sweeps.items.length;
    return isSteady && devices.items.length > 1 && waiting.length === devices.items.length;
  };
  await expect.poll(begun, { timeout: 60_000, intervals: [1_000] }).toBe(true);
  const headers = { Authorization: `Bearer ${adminToken}` };
  for (const { id } of (await get('/sweeps')).items) {
    await fetch(`${url}/api/v1/sweeps/${id}/cancel`, { method: 'POST', headers });
  }
}
