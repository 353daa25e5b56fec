import { randomUUID } from 'node:crypto';
import { benchFile } from './bench-file';
import type { Grid } from './grid';

/** A sweep whose only run failed, as a worker that has left again reported it; returns its id. */
export async function failedSweep(grid: Grid): Promise<string> {
  const post = async (path: string, body: object = {}) => {
    const answer = await fetch(`${grid.url}/api/v1/${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${grid.adminToken}`,
        'Content-Type': 'application/json',
        'tilemark-protocol': '2',
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return text ? JSON.parse(text) : null;
  };
  const { environment } = benchFile();
  const now = () => new Date().toISOString();
  // The standard suites of its device begin too, behind what is submitted.
  const { workerId, deviceKey } = await post('workers', {
    ...{ name: 'w', host: 'h', version: '0.1.0', instance: randomUUID(), at: now() },
    identity: environment?.device,
    capabilities: environment?.capabilities,
  });
  const sweep = await post('sweeps', {
    name: 'Fails in its device',
    spec: {
      cases: [{ kernel: 'matmul/tiled', shapes: [{ m: 64, n: 64, k: 64 }], dtypes: ['f32'] }],
      devices: [deviceKey],
    },
  });
  const { run } = await post(`workers/${workerId}/next`);
  const { variant, problem, profile, policy } = run;
  await post(`workers/${workerId}/runs/${run.id}/outcome`, {
    run: { variant, problem, profile, policy },
    environment,
    wgsl: null,
    outcome: { kind: 'failed', stage: 'device', message: 'the device was lost' },
    endedAt: now(),
  });
  await post(`workers/${workerId}/detach`);
  return sweep.id;
}
