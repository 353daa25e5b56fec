import { readFile } from 'node:fs/promises';

/** Lets scripts run by tsx import `.wgsl` as text, as the bundlers of the worker and the site do. */
export async function load(url, context, next) {
  if (!url.endsWith('.wgsl')) return next(url, context);
  const source = await readFile(new URL(url), 'utf8');
  return {
    format: 'module',
    shortCircuit: true,
    source: `export default ${JSON.stringify(source)};`,
  };
}
