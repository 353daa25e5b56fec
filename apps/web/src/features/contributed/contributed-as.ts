import type { Store } from '@tilemark/core/server';
import { kernelById } from '@tilemark/kernels';

/** What a contributed kernel is, and whose; null: the grid has none of this id. */
export async function contributedAs(store: Store, id: string): Promise<string | null> {
  const version = await store.contributed.get(id);
  if (!version) return null;
  await store.contributed.admit([id]);
  return `${kernelById(id).idea.replace(/[.]$/, '')}, a WGSL kernel by ${version.author}`;
}
