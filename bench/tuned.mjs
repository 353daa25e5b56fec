/** What ships of the device that the goals are for. */
export const SHIPPED = new URL('../packages/core/src/tuned/nvidia-h200.json', import.meta.url)
  .pathname;

/**
 * The variant that a file of tuned variants holds for a row's profile and its problem, or
 * that of the shape `tunedAt`. Throws Error where it holds none.
 *
 * @param {{ variants: { problem: { op: string, shape: object, dtype: string },
 *   profile: string, address: string }[] }} file
 * @param {{ op: string, shape: string, dtype: string, profile?: string,
 *   tunedAt?: string }} row
 */
export function tunedVariant({ variants }, row) {
  const { op, dtype, profile = 'fast' } = row;
  const wanted = row.tunedAt ?? row.shape;
  const found = variants.find(
    ({ problem, profile: of }) =>
      problem.op === op && problem.dtype === dtype && of === profile && isOf(problem.shape, wanted),
  );
  if (!found) throw new Error(`no tuned variant of ${op} ${wanted} ${dtype} ${profile}`);
  return found.address;
}

/** '4096' or '64x4096x4096' beside { m, n, k } or { rows, cols }. */
function isOf(shape, text) {
  const wanted = text.split('x').map(Number);
  return Object.values(shape).every((size, index) => size === (wanted[index] ?? wanted[0]));
}
