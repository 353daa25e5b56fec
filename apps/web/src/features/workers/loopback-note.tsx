import { Command } from '@/ui/action';
import { Notice } from '@/ui/notice';

const isLoopback = (origin: string) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(origin);

/** Said before an invite is made: browsers have WebGPU over https, or on this machine, only. */
export function InviteNote({ origin }: { origin: string }) {
  if (origin.startsWith('https:')) return null;
  const { hostname, port } = new URL(origin);
  const host = isLoopback(origin) ? 'THIS-MACHINE' : hostname;
  return (
    <Notice tone="amber">
      <p className="mb-1.5">
        {isLoopback(origin)
          ? `You opened this grid as ${origin}, where an invite works on this machine only, to try it. Others need https.`
          : `Invites work over https only, and you opened this grid as ${origin}.`}{' '}
        This serves it over https, with a certificate of its own, after which make the invite there:
      </p>
      <Command
        label="the command that serves https"
        text={`caddy reverse-proxy --internal-certs --from https://${host}:8443 --to localhost:${port || 80}`}
      />
    </Notice>
  );
}

/** That an address which only this machine reaches is no use elsewhere; null for any other. */
export function LoopbackNote({ origin, what }: { origin: string; what: string }) {
  if (!isLoopback(origin)) return null;
  return (
    <Notice tone="amber" className="mt-1.5">
      You opened this grid as {new URL(origin).host}, so {what} on this machine only. For others,
      restart the grid with <code>npm start -- --host 0.0.0.0</code> and open this page at this
      machine’s name or IP address.
    </Notice>
  );
}
