/** What a token may be made to last, in days; null: until it is revoked. */
export const LIFETIMES = [
  { id: '7', name: '7 days', days: 7 },
  { id: '30', name: '30 days', days: 30 },
  { id: '90', name: '90 days', days: 90 },
  { id: '365', name: 'a year', days: 365 },
  { id: 'never', name: 'until revoked', days: null },
] as const;

const DAY_MS = 24 * 3_600_000;

/** When a token of the lifetime ends; undefined where it does not. */
export function expiryOf(lifetime: string, now: Date): string | undefined {
  const days = LIFETIMES.find(({ id }) => id === lifetime)?.days ?? null;
  return days === null ? undefined : new Date(now.getTime() + days * DAY_MS).toISOString();
}
