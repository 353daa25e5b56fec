import type { Dtype, GpuKernel, TunableValues } from '@tilemark/kernels';

/**
 * The idea of a kernel as its WGSL tells it: the comment at the top of the file up to its
 * first empty line. Null for kernels that are written by an emitter and say it elsewhere.
 */
export function paragraphOf(
  { id, wgsl }: GpuKernel,
  values: TunableValues,
  dtype: Dtype,
): string | null {
  const source = typeof wgsl === 'string' ? wgsl : wgsl(values, dtype);
  const lines: string[] = [];
  for (const line of source.split('\n')) {
    const [, text] = /^\/\/ ?(.*)$/.exec(line) ?? [];
    if (text === undefined || text.trim() === '') break;
    lines.push(text.trim());
  }
  const [head, ...rest] = lines;
  if (!head?.startsWith(`${id}: `)) return null;
  const text = [head.slice(id.length + 2), ...rest].join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
