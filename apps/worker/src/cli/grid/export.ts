import {
  type BenchFile,
  deviceKey,
  type Environment,
  pageOf,
  resultDetailSchema,
  resultSchema,
  sweepSchema,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { GridClient, type GridOptions } from './client';

export interface ExportOptions extends GridOptions {
  readonly format: 'csv' | 'json';
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
  const path = `sweeps/${encodeURIComponent(sweep)}`;
  if (options.format === 'csv') print((await site.text(`${path}/results?format=csv`)).trimEnd());
  else print(JSON.stringify(await benchFileOf(site, path), null, 1));
}

async function benchFileOf(site: GridClient, path: string): Promise<BenchFile> {
  const { suite } = await site.get(path, sweepSchema);
  const { items } = await site.get(`${path}/results?all=1`, pageOf(resultSchema));
  const results = items.filter(({ outcome }) => outcome !== null);
  const environments = new Map<string, Environment>();
  for (const { resultId, device, profile } of results) {
    if (resultId === null || environments.has(`${device.key} ${profile}`)) continue;
    const { environment } = await site.get(`results/${resultId}`, resultDetailSchema);
    environments.set(`${deviceKey(environment.device)} ${profile}`, environment);
  }
  const [environment, ...others] = environments.values();
  if (!environment) throw new InputError('has no results yet', 'sweep');
  return { version: 1, ...(suite && { suite }), environment, environments: others, results };
}
