import { KERNEL_LIMITS } from '@tilemark/core/contributed';
import { InputError } from '@tilemark/kernels';
import type { KernelForm } from './submit';

// What is being written, kept in this tab: through logging in, and from version to version.

const KEY = 'tilemark-kernel-form';

export function keptDraft(): KernelForm | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(kept: KernelForm): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Too large for the browser, and so for the grid, which says it on submitting.
  }
}

type KernelFiles = Pick<KernelForm, 'source' | 'manifest'>;

/**
 * What files that were dropped or opened contain: a source, and perhaps a manifest.
 * Throws InputError for a file that is too large or is not text.
 */
export async function readFiles(files: readonly File[]): Promise<Partial<KernelFiles>> {
  const { manifestBytes, sourceBytes } = KERNEL_LIMITS;
  const read: Partial<KernelFiles> = {};
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
