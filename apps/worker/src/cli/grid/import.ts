import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  benchFileIn,
  benchFileSchema,
  benchLines,
  refusalOf,
  sweepImportedSchema,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { atFlag } from '../flags';
import { GridClient, type GridOptions } from './client';

/**
 * Brings files of `bench --json`, and those in folders, to a grid: each becomes a finished
 * sweep, whole or not at all. A file that is refused is named, and the others follow. Returns
 * the exit code: 2 if one was refused. Throws Error if the site does not answer, InputError
 * for the token and for a path that does not exist.
 */
export async function importFiles(
  paths: readonly string[],
  options: GridOptions,
  print: (text: string) => void,
): Promise<number> {
  const client = new GridClient(options);
  const files = (await Promise.all(paths.map(filesAt))).flat();
  let refused = 0;
  for (const file of files) {
    try {
      const from = files.length > 1 ? `${file}: ` : '';
      print(`${from}${await importFile(file, client, options.server)}`);
    } catch (error) {
      if (!(error instanceof InputError) || error.field === '--token') throw error;
      const where = error.field === file ? '' : `${error.field}: `;
      process.stderr.write(`error: ${file}: ${where}${error.message}\n`);
      refused++;
    }
  }
  if (files.length > 1)
    print(`${files.length - refused} of ${files.length} files are on the grid.`);
  return refused > 0 ? 2 : 0;
}

/** A file as it is; of a folder every .json in it and in its subfolders. */
async function filesAt(path: string): Promise<string[]> {
  const entry = await atFlag('FILE', stat(path));
  if (!entry.isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (names.length === 0) throw new InputError('contains no .json file', path);
  return names.map((name) => join(path, name));
}

/** Imports a file and prints what became of it. */
async function importFile(file: string, client: GridClient, server: string): Promise<string> {
  const parsed = benchFileSchema.safeParse(jsonOf(file, await readFile(file)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const why = refusalOf(issue?.path.join('.') ?? '', issue?.message ?? '');
    throw new InputError(`is not a file of \`tilemark bench --json\`: ${why}`, file);
  }
  const lines = benchLines(parsed.data);
  const { id, counts, isNew } = await client.upload('results/import', sweepImportedSchema, lines);
  const page = new URL(`/sweeps/${id}`, server);
  if (!isNew) return `The grid has these results already, in sweep ${id}: ${page}`;
  const what = counts.total === 1 ? '1 result is' : `${counts.total} results are`;
  return `${what} now sweep ${id}: ${page}`;
}

function jsonOf(file: string, bytes: Uint8Array): unknown {
  try {
    return benchFileIn(bytes);
  } catch (error) {
    throw error instanceof InputError ? new InputError(error.message, file) : error;
  }
}
