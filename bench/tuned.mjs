/** What ships of the device that the goals are for. */
export const SHIPPED = new URL('../packages/core/src/tuned/nvidia-h200.json', import.meta.url)
  .pathname;

/**
 * The variant that a file of tuned variants holds for a row's problem and profile. Throws
 * Error where it holds none.
 *
 * @param {{ variants: { problem: { op: string, shape: object, dtype: string },
 *   profile: string, address: string }[] }} file
 * @param {{ op: string, shape: string, dtype: string, profile?: string }} row
 */
export function tunedVariant({ variants }, { op, shape, dtype, profile = 'fast' }) {
  const found = variants.find(
    ({ problem, profile: of }) =>
      problem.op === op && problem.dtype === dtype && of === profile && isOf(problem.shape, shape),
  );
  if (!found) throw new Error(`no tuned variant of ${op} ${shape} ${dtype} ${profile}`);
  return found.address;
}

/** '4096' or '64x4096x4096' beside { m, n, k } or { rows, cols }. */
function isOf(sizes, text) {
  const wanted = text.split('x').map(Number);
  return Object.values(sizes).every((size, index) => size === (wanted[index] ?? wanted[0]));
}
