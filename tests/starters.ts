import { expect } from '@playwright/test';
import type { Grid } from './grid';

interface Coverage {
  readonly devices: readonly { readonly cells: readonly { readonly never: number }[] }[];
}

/** Cancels the suites that this machine's GPU and CPU begin with, so that tests need not wait for them. */
export async function cancelStarters({ adminToken, url }: Grid): Promise<void> {
  const get = async (path: string) => (await fetch(`${url}/api/v1${path}`)).json();
  const begun = async () => {
    const { devices }: Coverage = await get('/coverage');
    const waits = devices.some(({ cells }) => cells.some(({ never }) => never > 0));
    return devices.length > 1 && !waits;
  };
  await expect.poll(begun, { timeout: 60_000 }).toBe(true);
  const headers = { Authorization: `Bearer ${adminToken}` };
  for (const { id } of (await get('/sweeps')).items) {
    await fetch(`${url}/api/v1/sweeps/${id}/cancel`, { method: 'POST', headers });
  }
}
