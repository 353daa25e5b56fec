import {
  type BenchFile,
  deviceKey,
  type Environment,
  pageOf,
  type RunResult,
  resultDetailSchema,
  runResultSchema,
  t4Of,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { GridClient, type GridOptions } from './client';

export interface ExportOptions extends GridOptions {
  readonly format: 'csv' | 'json' | 't4';
}

/**
 * Prints the results of a sweep: as CSV, or as the JSON that `bench --json`
 * writes and `import` takes.
 */
export async function exportSweep(
  sweep: string,
  options: ExportOptions,
  print: (text: string) => void,
): Promise<void> {
  const site = new GridClient(options);
  const path = `sweeps/${encodeURIComponent(sweep)}/results`;
  if (options.format === 'csv') print((await site.text(`${path}?format=csv`)).trimEnd());
  else if (options.format === 't4')
    print(JSON.stringify(t4Of(await resultsOf(site, path)), null, 1));
  else print(JSON.stringify(await benchFileOf(site, path), null, 1));
}

async function resultsOf(site: GridClient, path: string): Promise<RunResult[]> {
  const { items } = await site.get(`${path}?all=1`, pageOf(runResultSchema));
  return items.filter(({ outcome }) => outcome !== null);
}

async function benchFileOf(site: GridClient, path: string): Promise<BenchFile> {
  const results = await resultsOf(site, path);
  const environments = new Map<string, Environment>();
  for (const { resultId, device, profile } of results) {
    if (resultId === null || environments.has(`${device.key} ${profile}`)) continue;
    const { environment } = await site.get(`results/${resultId}`, resultDetailSchema);
    environments.set(`${deviceKey(environment.device)} ${profile}`, environment);
  }
  const [environment, ...others] = environments.values();
  if (!environment) throw new InputError('has no results yet', 'sweep');
  return { version: 1, environment, environments: others, results };
}
