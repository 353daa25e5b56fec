/** Dawn rounds timestamps to this many ns unless a toggle says otherwise. */
const QUANTUM_NS = 65_536n;

/**
 * Step of a device's timestamps, ns: the largest that divides every difference
 * between the values observed. Throws when all of them are multiples of 65,536,
 * which is Dawn's quantisation and not the device's clock.
 */
export function observedTickNs(timestamps: readonly bigint[]): number {
  const values = [...new Set(timestamps)].sort((a, b) => (a < b ? -1 : 1));
  const first = values[0];
  if (first === undefined || values.length < 2) {
    throw new Error('the device returned no two different timestamps; it has no usable GPU clock');
  }
  if (values.every((value) => value % QUANTUM_NS === 0n)) {
    throw new Error(
      'GPU timestamps are rounded to 65,536 ns: create Dawn with disable-dawn-features=timestamp_quantization (in Chromium: --disable-dawn-features=timestamp_quantization)',
    );
  }
  return Number(values.map((value) => value - first).reduce(greatestCommonDivisor, 0n));
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
