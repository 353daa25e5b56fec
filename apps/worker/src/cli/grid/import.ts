import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  benchFileSchema,
  broughtFile,
  messageOf,
  misplaced,
  referenceFileSchema,
  referenceImportedSchema,
  refusalOf,
  sweepImportedSchema,
  type T4Options,
  t4Figures,
  t4FileSchema,
} from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import type { z } from 'zod';
import { atFlag } from '../flags';
import { GridClient, type GridOptions, LONG_ANSWER_MS } from './client';

/**
 * Brings files of `bench --json`, and those in folders, to a grid: each becomes a finished
 * sweep, whole or not at all. A file of `bench/side-by-side`, or of a library alone, becomes figures
 * of reference. A file that is refused is named, and the others follow. Returns
 * the exit code: 2 if one was refused. Throws Error if the site does not answer, InputError
 * for the token and for a path that does not exist.
 */
export async function importFiles(
  paths: readonly string[],
  options: ImportOptions,
  print: (text: string) => void,
): Promise<number> {
  const client = new GridClient(options);
  const files = (await Promise.all(paths.map(filesAt))).flat();
  let refused = 0;
  for (const file of files) {
    try {
      const from = files.length > 1 ? `${file}: ` : '';
      print(`${from}${await importFile(file, client, options)}`);
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

export type ImportOptions = GridOptions & T4Options;

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

/** Says what became of the file. */
async function importFile(
  file: string,
  client: GridClient,
  options: ImportOptions,
): Promise<string> {
  const { server } = options;
  const json = await readJson(file);
  const kind = broughtFile(json);
  if (kind === 'figures' || kind === 't4') {
    const body =
      kind === 't4'
        ? t4Figures(checked(t4FileSchema, json, file, 'T4'), options)
        : checked(referenceFileSchema, json, file, '`bench/side-by-side`');
    const { figures } = await client.post('reference', referenceImportedSchema, body);
    const what = figures === 1 ? '1 figure is' : `${figures} figures are`;
    return `${what} now shown as reference: ${new URL('/?groups=gpu,reference', server)}`;
  }
  const why = misplaced(json, 'results');
  if (why) throw new InputError(why, file);
  const body = checked(benchFileSchema, json, file, '`tilemark bench --json`');
  const answer = sweepImportedSchema;
  const { id, counts, isNew } = await client.post('results/import', answer, body, LONG_ANSWER_MS);
  const page = new URL(`/sweeps/${id}`, server);
  if (!isNew) return `The grid has these results already, in sweep ${id}: ${page}`;
  const what = counts.total === 1 ? '1 result is' : `${counts.total} results are`;
  return `${what} now sweep ${id}: ${page}`;
}

function checked<T>(schema: z.ZodType<T>, json: unknown, file: string, writer: string): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InputError(
    `is not a file of ${writer}: ${refusalOf(issue?.path.join('.') ?? '', issue?.message ?? '')}`,
    file,
  );
}

async function readJson(file: string): Promise<unknown> {
  const text = (await readFile(file, 'utf8')).replace(/^\ufeff/, '');
  if (/^\w+(?:,\w+){2,}/.test(text)) {
    throw new InputError(
      'is CSV, which has no samples: bring the JSON of the same results (`export --format json`)',
      file,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message quotes what is not JSON, line breaks and all.
    throw new InputError(messageOf(error).replace(/\s+/g, ' '), file);
  }
}
