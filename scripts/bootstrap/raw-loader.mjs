import { readFile } from 'node:fs/promises';

/** Lets scripts run by tsx import a file as text by `?raw`, as the bundlers of the worker and the site do. */
export async function load(url, context, next) {
  if (!url.endsWith('?raw')) return next(url, context);
  const source = await readFile(new URL(url), 'utf8');
  return {
    format: 'module',
    shortCircuit: true,
    source: `export default ${JSON.stringify(source)};`,
  };
}
