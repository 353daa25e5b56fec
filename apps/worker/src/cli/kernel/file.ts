/**
 * Kernels in files of the user's own: `tilemark kernel new` writes one, `tilemark check` proves it,
 * and `bench`, `duel`, and `tune` take it, or one that a grid keeps, where they take a kernel of ours.
 * What such a file is, and how it becomes a kernel, is explained in `contributed/` of @tilemark/core.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  admitKernel,
  type Contributed,
  draftOf,
  fileOf,
  isContributed,
  KERNEL_LIMITS,
  type KernelFile,
  kernelDetailSchema,
  kernelNameSchema,
  kernelTemplate,
  type ManifestDraft,
} from '@tilemark/core';
import { InputError, type Kernel, kernelById, opById, refuseIf } from '@tilemark/kernels';
import { atFlag, list, readIfThere } from '../flags';
import { GridClient, type GridOptions } from '../grid/client';
import { invoked } from '../invoked';

/** Whose kernels those of a local file are. */
const AUTHOR = 'local';

/** Makes the kernel of a file known. Throws InputError at its line. */
export async function admitFile(path: string, flag: string): Promise<Contributed> {
  const file = await kernelFileAt(path, flag);
  try {
    return await admitKernel(file);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { manifest } = file;
    throw new InputError(
      error.message,
      placeIn(error.field, path, manifestBeside(path), manifest !== undefined),
    );
  }
}

const manifestBeside = (path: string) => path.replace(/\.wgsl$/, '.json');

/** Reads a `.wgsl` file, with the `.json` beside it if there is one, both without a byte-order mark. */
export async function kernelFileAt(path: string, flag: string): Promise<KernelFile> {
  refuseIf(!path.endsWith('.wgsl'), `'${path}' is not a .wgsl file`, flag);
  const { size } = await atFlag(flag, stat(path));
  const { sourceBytes } = KERNEL_LIMITS;
  refuseIf(size > sourceBytes, `${path} has ${size} bytes; the limit is ${sourceBytes}`, path);
  const bytes = await atFlag(flag, readFile(path));
  const manifest = await readIfThere(flag, manifestBeside(path));
  try {
    const source = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const text = manifest?.replace(/^\ufeff/, '');
    return { author: AUTHOR, source, ...(text !== undefined && { manifest: text }) };
  } catch {
    throw new InputError('this is not text: save the file as UTF-8', path);
  }
}

/** `wgsl:12` -> `my.wgsl:12`; a field of the manifest, with the file that it is in. */
function placeIn(field: string, path: string, beside: string, hasOwn: boolean): string {
  const [, line] = /^wgsl(:\d+)?$/.exec(field) ?? [];
  if (field.startsWith('wgsl')) return `${path}${line ?? ''}`;
  const [, manifestLine] = /^manifest(:\d+)$/.exec(field) ?? [];
  if (manifestLine) return `${beside}${manifestLine}`;
  return `${hasOwn ? beside : path}, ${field}`;
}

/**
 * Takes a contributed kernel from the grid that keeps it; one of ours, or one that is known, stays as
 * it is. Throws InputError where the grid does not have it, or sends another under its id.
 */
export async function admitOfGrid(
  id: string,
  { server, token }: Partial<GridOptions>,
  flag: string,
): Promise<void> {
  if (!isContributed(id) || fileOf(id)) return;
  if (server === undefined) {
    throw new InputError(
      `${id} is a contributed kernel: add --server with the address of the grid that keeps it`,
      flag,
    );
  }
  const site = new GridClient({ server, ...(token !== undefined && { token }) });
  const { file } = await site.get(`kernels/${encodeURI(id)}`, kernelDetailSchema);
  const sent = file && (await admitKernel(file)).kernel.id;
  refuseIf(sent !== id, `${server} sent ${sent ?? 'no source'} instead of ${id}`, flag);
}

/**
 * The ids of kernels that `--wgsl` and `--kernel` name; undefined if neither is there. Throws InputError
 * for profiles in which contributed kernels do not run.
 */
export async function kernelsNamed({
  kernel,
  profile = 'default',
  wgsl = [],
  ...grid
}: {
  readonly kernel?: readonly string[];
  readonly profile?: string;
  readonly wgsl?: readonly string[];
} & Partial<GridOptions>): Promise<readonly string[] | undefined> {
  if (wgsl.length === 0 && !kernel?.some(isContributed)) return kernel;
  refuseIf(
    !list(profile).includes('default'),
    'contributed kernels run in profile default only',
    '--profile',
  );
  const ids: string[] = [];
  for (const path of wgsl) ids.push((await admitFile(path, '--wgsl')).kernel.id);
  for (const id of kernel ?? []) await admitOfGrid(id, grid, '--kernel');
  return [...ids, ...(kernel ?? [])];
}

/** An address in which a file stands for its kernel, `my.wgsl[TILE=8]`; a grid's kernel becomes known. */
export async function addressIn(
  text: string,
  grid: Partial<GridOptions>,
  field: string,
): Promise<string> {
  const [, path, tunables = ''] = /^([^[\]]+\.wgsl)(\[.*\])?$/.exec(text.trim()) ?? [];
  if (path !== undefined) return `${(await admitFile(path, field)).kernel.id}${tunables}`;
  await admitOfGrid(text.trim().replace(/\[.*$/, ''), grid, field);
  return text;
}

/** The command that holds a kernel against the best of ours, or against naive where that lacks its dtype. */
export function duelLine(path: string, { dtypes, op }: Kernel, shape: string): string {
  const [dtype = 'f32'] = dtypes;
  const { rival } = opById(op);
  const other = kernelById(rival).dtypes.includes(dtype) ? rival : `${op}/naive`;
  const ofDtype = dtype === 'f32' ? [] : ['--dtype', dtype];
  return invoked(['duel', path, other, '--shape', shape, ...ofDtype]);
}

/** `tilemark kernel new NAME`: writes a kernel that passes, to start from. Throws InputError. */
export async function newKernel(
  given: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const name = nameIn(given);
  const path = `${name}.wgsl`;
  await writeNew(path, kernelTemplate(name), 'name');
  const { kernel } = await admitFile(path, 'name');
  print(
    [
      `Wrote ${path}: a naive matrix product that passes. Next:`,
      `  ${invoked(['check', path])}`,
      `  ${duelLine(path, kernel, '512')}`,
    ].join('\n'),
  );
}

/**
 * `tilemark kernel new --from FILE`: writes the manifest of a source beside it, and says what the source
 * does not tell. Throws InputError.
 */
export async function newManifest(
  from: string,
  given: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const { source, manifest } = await kernelFileAt(from, '--from');
  const path = manifestBeside(from);
  refuseIf(manifest !== undefined, `${path} already exists`, '--from');
  const stem = basename(from, '.wgsl')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const name = nameIn(given ?? stem.replace(/^-+|-+$/g, '').slice(0, 40));
  const draft = drafted(name, source, from);
  await writeNew(path, `${JSON.stringify(draft.manifest, null, 2)}\n`, '--from');
  const open = draft.open.map((what) => `  ${what}`);
  print(
    [
      `Wrote ${path}. It could not tell, so look at:`,
      ...open,
      `Next: ${invoked(['check', from])}`,
    ].join('\n'),
  );
}

function drafted(name: string, source: string, from: string): ManifestDraft {
  try {
    return draftOf(name, source);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message, placeIn(error.field, from, from, false));
  }
}

function nameIn(name: string | undefined): string {
  const { data, error } = kernelNameSchema.safeParse(name ?? '');
  if (data === undefined) throw new InputError(error?.issues[0]?.message ?? '', 'name');
  return data;
}

async function writeNew(path: string, text: string, field: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((error: unknown) => {
    const isThere = error instanceof Error && Reflect.get(error, 'code') === 'EEXIST';
    throw new InputError(isThere ? `${path} already exists` : String(error), field);
  });
}
