import type { KernelDetail } from '@tilemark/core';
import type { Dtype, GpuKernel, Kernel, TunableValues } from '@tilemark/kernels';
import { kernelDetail } from '@/server/catalogue';

export interface Specialisation {
  readonly detail: KernelDetail;
  /** One sentence per part of the query string that was ignored. */
  readonly refused: readonly string[];
}

/**
 * The kernel as a query string asks for it. A value that the kernel does not accept is ignored,
 * with a sentence that says so; names that the kernel does not have are ignored silently.
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
    else
      refused.push(
        `${name} cannot be “${text.slice(0, 60)}”; it must be one of ${values.join(', ')}.`,
      );
  }
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

/**
 * The idea of a kernel, from the comment at the top of its WGSL up to the first empty line.
 * Null for emitted kernels, which explain it elsewhere.
 */
export function paragraphOf(
  { id, wgsl }: GpuKernel,
  values: TunableValues,
  dtype: Dtype,
): string | null {
  const source = typeof wgsl === 'string' ? wgsl : wgsl(values, dtype, false, null);
  const lines: string[] = [];
  for (const line of source.split('\n')) {
    const [, text] = /^\/\/ ?(.*)$/.exec(line) ?? [];
    if (text === undefined || text.trim() === '') break;
    lines.push(text.trim());
  }
  const [head, ...rest] = lines;
  if (!head?.startsWith(`${id}: `)) return null;
  const text = [head.slice(id.length + 2), ...rest].join(' ');
  // The sources are ASCII.
  const shown = text.replaceAll(/(?<=[\w)]) x (?=[\w(])/g, ' × ');
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}
