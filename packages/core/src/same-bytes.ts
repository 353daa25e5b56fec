/** Whether two arrays hold the same bytes; both begin at a multiple of four in their buffers. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  const [words, others] = [wordsOf(a), wordsOf(b)];
  for (let i = 0; i < words.length; i++) if (words[i] !== others[i]) return false;
  for (let i = 4 * words.length; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const wordsOf = ({ buffer, byteOffset, length }: Uint8Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, Math.floor(length / 4));
