import type { KernelDetail } from '@tilemark/core';
import type { Kernel } from '@tilemark/kernels';
import { z } from 'zod';
import { kernelDetail } from '@/server/catalogue';
import { parseQuery, type SearchParams } from '@/ui/query';

/**
 * The kernel as a query string asks for it. A value that the kernel does not accept is ignored,
 * with a sentence that says so; names that the kernel does not have are ignored silently.
 */
export function specialisation(kernel: Kernel, query: Awaited<SearchParams>) {
  const choices = [...kernel.tunables, { name: 'dtype', values: kernel.dtypes }];
  const schema = z.object(
    Object.fromEntries(
      choices.map(({ name, values }) => [name, z.enum(values.map(String)).optional()]),
    ),
  );
  const { query: kept, refused } = parseQuery(schema, query);
  return { detail: kernelDetail(kernel.id, kept), refused };
}

/**
 * The WGSL of the rung that a specialised kernel changes, with shared tunables and dtype set alike.
 * Null if it has none for those values.
 */
export function wgslBefore(
  before: Kernel,
  { chosen, dtype }: KernelDetail,
): { readonly id: string; readonly wgsl: string } | null {
  const shared = before.tunables.flatMap(({ name, values }) => {
    const value = chosen[name];
    return value !== undefined && values.includes(value) ? [[name, String(value)]] : [];
  });
  const alike = before.dtypes.includes(dtype) ? { dtype } : {};
  const { wgsl } = kernelDetail(before.id, { ...Object.fromEntries(shared), ...alike });
  return wgsl === null ? null : { id: before.id, wgsl };
}
