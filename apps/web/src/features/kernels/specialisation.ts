import type { KernelDetail } from '@tilemark/core';
import type { Kernel } from '@tilemark/kernels';
import { kernelDetail } from '@/server/registry';

export interface Specialisation {
  readonly detail: KernelDetail;
  /** One sentence for each part of the query string that was put aside. */
  readonly refused: readonly string[];
}

/**
 * The kernel as a query string asks for it. A value that the kernel does not
 * take is put aside with a sentence, so that any address gives a page; what
 * names nothing of the kernel is no concern of this page.
 */
export function specialisation(
  kernel: Kernel,
  query: Readonly<Record<string, string | string[] | undefined>>,
): Specialisation {
  const choices = [
    ...kernel.tunables,
    { name: 'dtype', values: kernel.dtypes as readonly (string | number)[] },
  ];
  const kept: Record<string, string> = {};
  const refused: string[] = [];
  for (const { name, values } of choices) {
    const given = query[name];
    const text = Array.isArray(given) ? given[0] : given;
    if (text === undefined) continue;
    if (values.some((value) => String(value) === text)) kept[name] = text;
    else refused.push(`${name} cannot be “${text.slice(0, 60)}”; it takes ${values.join(', ')}.`);
  }
  return { detail: kernelDetail(kernel.id, kept), refused };
}

/**
 * The rung before a specialised kernel, its shared tunables and dtype set alike, as WGSL.
 * Null where it has none for those values.
 */
export function rungBefore(
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
