import { KERNEL_LIMITS } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import type { Draft } from './problems';

/** What is being written, kept in this tab: through logging in, and from version to version. */
export interface Kept extends Draft {
  readonly shapes: string;
  readonly devices: readonly string[];
  /** The version that it began with; null: the template. */
  readonly from: string | null;
}

const KEY = 'tilemark-kernel';

export function keptDraft(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(kept: Kept): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Too large for the browser, and so for the grid, which says it on submitting.
  }
}

/**
 * What files that were dropped or opened contain: a source, and perhaps a manifest.
 * Throws InputError for a file that is too large or is not text.
 */
export async function readFiles(files: readonly File[]): Promise<Partial<Draft>> {
  const { manifestBytes, sourceBytes } = KERNEL_LIMITS;
  const read: { source?: string; manifest?: string } = {};
  for (const file of files) {
    const isManifest = file.name.endsWith('.json');
    if (!isManifest && !file.name.endsWith('.wgsl')) {
      throw new InputError(`${file.name} is neither a .wgsl nor a .json file.`, 'wgsl');
    }
    const limit = isManifest ? manifestBytes : sourceBytes;
    if (file.size > limit) {
      const message = `${file.name} has ${file.size} bytes; the limit is ${limit}.`;
      throw new InputError(message, 'wgsl');
    }
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
      read[isManifest ? 'manifest' : 'source'] = text;
    } catch {
      throw new InputError(`${file.name} is not text: save it as UTF-8.`, 'wgsl');
    }
  }
  return read;
}
