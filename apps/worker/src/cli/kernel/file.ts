/**
 * Kernels in files of the user's own: `tilemark kernel new` writes one, `tilemark check` proves it,
 * and `bench`, `duel`, and `tune` take it, or one that a grid keeps, where they take a kernel of ours.
 * What such a file is, and how it becomes a kernel, is explained in `contributed/` of @tilemark/core.
 */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { kernelDetailSchema } from '@tilemark/core';
import {
  admitKernel,
  type Contributed,
  checkKernel,
  type EngineSays,
  guess,
  KERNEL_LIMITS,
  kernelNameSchema,
  kernelTemplate,
} from '@tilemark/core/contributed';
import {
  fileOf,
  InputError,
  ifValid,
  isContributed,
  type Kernel,
  type KernelFile,
  kernelById,
  kernelOf,
  type OpId,
  opById,
  refuseIf,
} from '@tilemark/kernels';
import { atFlag, list, readIfThere } from '../flags';
import { GridClient, type GridOptions } from '../grid/client';
import { invoked } from '../invoked';
import { enginesText } from './engines';

/** The author of kernels in local files. */
const AUTHOR = 'local';

/** Makes the kernel of a file known. Throws InputError at its line. */
export async function admitFile(path: string, flag: string): Promise<Contributed> {
  const file = await kernelFileAt(path, flag);
  placed(path, file.manifest !== undefined, () => checkKernel(file));
  return admitKernel(file);
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
function placeIn(field: string, path: string, hasOwn: boolean): string {
  const beside = manifestBeside(path);
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
  await admitOfGrid(kernelOf(text.trim()), grid, field);
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

/** `tilemark kernel new NAME --op OP`: writes a kernel that passes, to start from. Throws InputError. */
export async function newKernel(
  given: string | undefined,
  op: OpId,
  print: (text: string) => void,
): Promise<void> {
  const name = nameIn(given);
  const path = `${name}.wgsl`;
  await writeFile(path, kernelTemplate(name, op), { flag: 'wx' }).catch((error: unknown) => {
    const isThere = error instanceof Error && Reflect.get(error, 'code') === 'EEXIST';
    throw new InputError(isThere ? `${path} already exists` : String(error), 'name');
  });
  const { kernel } = await admitFile(path, 'name');
  print(
    [
      `Wrote ${path}: a naive kernel that passes. Next:`,
      `  ${invoked(['check', path])}`,
      `  ${duelLine(path, kernel, '512')}`,
    ].join('\n'),
  );
}

/**
 * `tilemark kernel new --from FILE`: completes the manifest of a source in a file beside it, and says
 * what the source does not tell. Throws InputError.
 */
export async function newManifest(
  from: string,
  given: string | undefined,
  print: (text: string) => void,
): Promise<void> {
  const { author: _, ...file } = await kernelFileAt(from, '--from');
  const path = manifestBeside(from);
  const stem = basename(from, '.wgsl')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const name = nameIn(given ?? stem.replace(/^-+|-+$/g, '').slice(0, 40));
  const { manifest, open } = placed(from, file.manifest !== undefined, () => guess(name, file));
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
  const lines = open.map((what) => `  ${what}`);
  const next = invoked(['check', from]);
  const complete = { ...file, author: AUTHOR, manifest: JSON.stringify(manifest) };
  const read = ifValid(() => checkKernel(complete));
  const tint: EngineSays = { engine: 'tint', says: 'not tried', line: null, why: `run ${next}` };
  print(
    [
      `Wrote ${path}.${lines.length > 0 ? ' These are guesses, so look at:' : ''}`,
      ...lines,
      ...(read ? [await enginesText({ ...read, file: complete }, tint, from)] : []),
      `Next: ${next}`,
    ].join('\n'),
  );
}

/** Work on a file, whose InputError gets a place that an editor knows. */
function placed<T>(path: string, hasOwn: boolean, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message, placeIn(error.field, path, hasOwn));
  }
}

function nameIn(name: string | undefined): string {
  const { data, error } = kernelNameSchema.safeParse(name ?? '');
  if (data === undefined) throw new InputError(error?.issues[0]?.message ?? '', 'name');
  return data;
}
