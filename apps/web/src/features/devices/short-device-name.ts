const LONG = 32;

/**
 * A device's name for a table: long ones without what adapters put in brackets,
 * `llvmpipe on AMD EPYC` for `llvmpipe (LLVM 15.0.6, 256 bits) on AMD EPYC (2 cores)`.
 * The whole name belongs in the title.
 */
export function shortDeviceName(name: string): string {
  if (name.length <= LONG) return name;
  const short = name.replaceAll(/\s*\([^()]*\)/g, '').trim();
  return short || name;
}
