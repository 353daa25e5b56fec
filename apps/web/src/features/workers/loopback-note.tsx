import { Notice } from '@/ui/notice';

/** That an address which only this machine reaches is no use elsewhere; null for any other. */
export function LoopbackNote({ origin, what }: { origin: string; what: string }) {
  if (!/^https?:\/\/(localhost|127\.|\[::1\])/.test(origin)) return null;
  return (
    <Notice tone="amber" className="mt-1.5">
      You opened this grid as {new URL(origin).host}, so {what} on this machine only. For others,
      restart the grid with <code>npm start -- --host 0.0.0.0</code> and open this page at this
      machine’s name or IP address.
    </Notice>
  );
}
