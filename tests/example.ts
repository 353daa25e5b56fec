import { expect } from '@playwright/test';
import { benchFile } from './bench-file';
import { bring } from './bring';
import { failedSweep } from './failed-sweep';
import type { Grid } from './grid';
import { addresses } from './page-addresses';

/** A grid without a worker, so that nothing changes under the tests, with results of every outcome. */
export interface Example {
  readonly grid: Grid;
  /** Every page by name, as a path. */
  readonly pages: Readonly<Record<string, string>>;
}

/** Fills an empty grid. */
export async function startExample(grid: Grid): Promise<Example> {
  const pages = await addresses(grid.url, await importResults(grid));
  pages['failed sweep'] = `/sweeps/${await failedSweep(grid)}`;
  const asked = { op: 'matmul', shape: { m: 512, n: 512, k: 512 }, dtype: 'f32' };
  const made = { name: 'GPU course', seats: 30, hours: 1, problems: [asked] };
  const { id, secret } = await post(grid, 'invites', made);
  pages.class = `/classes/${id}#${secret}`;
  const device = pages.device?.split('/').at(-1);
  /** Begins a tuning, which waits for a worker; returns its page. */
  const tuning = async (what: object): Promise<string> =>
    (await post(grid, 'tunings', { device, ...what })).page;
  const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' };
  pages.tuning = await tuning({ problem });
  pages['tuning of a family'] = await tuning({ suite: 'transpose-shapes', dtype: 'f32' });
  return { grid, pages };
}

type FixtureResult = ReturnType<typeof benchFile>['results'][number];

/** Brings the fixture in, or some of its results; returns the id of its sweep. */
export async function importResults(
  grid: Grid,
  keeps: (result: FixtureResult) => boolean = () => true,
): Promise<string> {
  const file = benchFile();
  const { id } = await bring(grid, { ...file, results: file.results.filter(keeps) });
  return id;
}

/** Makes something through the API as an admin; returns the answer's body. */
export async function post(grid: Grid, path: string, body: object) {
  const answer = await fetch(`${grid.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${grid.adminToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return answer.json();
}
