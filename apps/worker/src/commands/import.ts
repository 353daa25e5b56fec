import { readFile } from 'node:fs/promises';
import { benchFileSchema, sweepCreatedSchema } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { messageOf } from '../message';
import { LONG_ANSWER_MS, Site, type SiteOptions } from '../site';

/** Brings a file of `bench --json` to a grid, where it becomes a finished sweep. */
export async function importFile(
  file: string,
  options: SiteOptions,
  print: (text: string) => void,
): Promise<void> {
  const site = new Site(options);
  const content = benchFileSchema.safeParse(await readJson(file));
  if (!content.success) {
    const [issue] = content.error.issues;
    throw new InputError(
      `is no file of \`tilemark bench --json\`: ${issue?.path.join('.')}: ${issue?.message}`,
      file,
    );
  }
  const { id, counts } = await site.post(
    'results/import',
    sweepCreatedSchema,
    content.data,
    LONG_ANSWER_MS,
  );
  const what = counts.total === 1 ? '1 result is' : `${counts.total} results are`;
  print(`${what} now sweep ${id}: ${new URL(`/sweeps/${id}`, options.server)}`);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    // What is no JSON is quoted in the message, line breaks and all.
    const reason = messageOf(error);
    throw new InputError(reason.replace(/\s+/g, ' '), file);
  }
}
