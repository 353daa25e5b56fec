/** A UUID in 22 characters, and back; null for anything else. */
export const shortId = (id: string): string =>
  Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');

export function longId(short: string): string | null {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.length === 32
    ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    : null;
}
