import type { TunableValues } from '@tilemark/kernels';

/** The page of a kernel, specialised for tunables and a dtype where given. Ids hold a slash: `matmul/tiled`. */
export function kernelHref(id: string, tunables: TunableValues = {}, dtype?: string): string {
  const query = new URLSearchParams(
    Object.entries(tunables).map(([name, value]) => [name, String(value)]),
  );
  if (dtype) query.set('dtype', dtype);
  const text = query.toString();
  return `/kernels/${id}${text && `?${text}`}`;
}
