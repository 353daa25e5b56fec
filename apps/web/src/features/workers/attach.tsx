'use client';

/** Workers: attaching a machine, what each worker is doing, and importing results measured elsewhere. */
import { pageOf, type Worker, workerSchema } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { deviceHref } from '@/features/devices/device-name';
import { type Made, MakeTokenForm } from '@/features/tokens/token-form';
import { Command } from '@/ui/action';
import { linkStyle, TextLink } from '@/ui/button';
import { InputField } from '@/ui/field';
import { LoopbackNote } from './loopback-note';

/** By system, what precedes the package: the token by the environment, as everybody may read a command line. */
const SYSTEMS = [
  { name: 'Linux and macOS', npx: (token: string) => `TILEMARK_TOKEN=${token} npx` },
  // PowerShell refuses npx.ps1 under its default policy.
  {
    name: 'Windows, in PowerShell',
    npx: (token: string) => `$env:TILEMARK_TOKEN='${token}'; npx.cmd`,
  },
] as const;

/**
 * Attaches a machine: creates a worker token, shows the command for each system, and reports
 * when the machine has arrived. No shell treats an origin or a token specially.
 *
 * @param origin of this grid, as the reader reaches it
 */
export function Attach({ origin, isAdmin }: { origin: string; isAdmin: boolean }) {
  const [made, setMade] = useState<Made | null>(null);
  const [pasted, setPasted] = useState('');
  const token = made?.secret ?? pasted.trim();
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-5 marker:font-medium marker:text-muted">
      <li>
        {isAdmin
          ? 'Create a token for the machine. With one token per machine, each can be revoked separately.'
          : 'Ask an admin of this grid for a worker token and paste it here. It does not leave this page.'}
        <div className="mt-1.5">
          {isAdmin ? (
            <MakeTokenForm
              id="machine"
              label="Create a worker token"
              whom="Machine"
              forRole="worker"
              onMade={setMade}
            />
          ) : (
            <InputField
              id="worker-token"
              label="Worker token"
              className="max-w-md font-mono"
              autoComplete="off"
              spellCheck={false}
              placeholder="tm_worker_…"
              value={pasted}
              onChange={({ target }) => setPasted(target.value)}
            />
          )}
        </div>
      </li>
      <li>
        On the machine, run the command for its system. It needs{' '}
        <a className={linkStyle} href="https://nodejs.org">
          Node
        </a>{' '}
        20.19 or newer and, on Linux, a Vulkan driver for the GPU.
        <LoopbackNote origin={origin} what="the commands work" />
        <div className="mt-1.5 space-y-2" role="status">
          {made && (
            <p className="text-[0.8125rem]">
              The commands contain the token for {made.name}. Copy one now: the token will not be
              shown again.
            </p>
          )}
          {SYSTEMS.map(({ name, npx }) => (
            <div key={name}>
              <p className="mb-1 text-xs font-medium">{name}</p>
              <Command
                label={`the command for ${name}`}
                text={`${npx(token || 'TOKEN')} -y ${origin}/worker.tgz --server ${origin}`}
                missing={
                  token ? undefined : isAdmin ? 'Create the token first' : 'Paste the token first'
                }
              />
            </div>
          ))}
        </div>
      </li>
      <li>
        Within seconds the machine appears on this page and starts on the{' '}
        <TextLink href="/operate/coverage">standard suites</TextLink>.
        {made && (
          // A new token starts a new wait.
          <div className="mt-1.5" key={made.secret}>
            <Arrivals />
          </div>
        )}
        <p className="mt-1.5 text-[0.8125rem] text-muted">
          The command attaches every GPU of the machine.{' '}
          <code className="whitespace-nowrap">--device N</code> picks one;{' '}
          <code className="break-words">npx -y {origin}/worker.tgz devices</code> lists them. For a
          service, a proxy, or a machine without a network, see{' '}
          <TextLink href="/docs/operate#attach-a-machine">Attach a machine</TextLink>. Without Node,
          a browser tab can <TextLink href="/join">lend its GPU</TextLink>.
        </p>
      </li>
    </ol>
  );
}

const POLL_MS = 2_000;
/** `npx` first downloads about ten MB; after this long, something is probably wrong. */
const LONG_MS = 60_000;

const workersSchema = pageOf(workerSchema);

/** The workers of the grid; null if it did not answer. */
async function attached(signal: AbortSignal): Promise<readonly Worker[] | null> {
  try {
    const response = await fetch('/api/v1/workers', { cache: 'no-cache', signal });
    return response.ok ? workersSchema.parse(await response.json()).items : null;
  } catch {
    return null;
  }
}

/** Waits for workers that were not attached when it was first shown, and announces them. */
function Arrivals() {
  const router = useRouter();
  const [arrived, setArrived] = useState<readonly Worker[]>([]);
  const [isLong, setLong] = useState(false);

  useEffect(() => {
    const abort = new AbortController();
    let known: ReadonlySet<string> | null = null;
    let shown = 0;
    const look = async () => {
      const workers = await attached(abort.signal);
      if (!workers || abort.signal.aborted) return;
      const before = known ?? new Set(workers.map(({ id }) => id));
      known = before;
      const fresh = workers.filter(({ id }) => !before.has(id));
      setArrived(fresh);
      // The page's table shows them too.
      if (fresh.length !== shown) router.refresh();
      shown = fresh.length;
    };
    void look();
    const timer = setInterval(() => void look(), POLL_MS);
    const long = setTimeout(() => setLong(true), LONG_MS);
    return () => {
      abort.abort();
      clearInterval(timer);
      clearTimeout(long);
    };
  }, [router]);

  if (arrived.length === 0) {
    return (
      <div role="status" className="space-y-1 text-[0.8125rem]">
        <p className="flex items-center gap-2">
          <span aria-hidden="true" className="pulse size-2 rounded-full bg-amber" />
          Waiting for the machine…
        </p>
        {isLong && (
          <p className="text-muted">
            Nothing yet. Check the terminal where the command runs: it reports an outdated Node, a
            GPU without a driver, or an address it cannot reach.
          </p>
        )}
      </div>
    );
  }
  return (
    <ul role="status" className="space-y-1 text-[0.8125rem]">
      {arrived.map(({ id, name, device, state }) => (
        <li key={id} className="flex items-baseline gap-2">
          <span aria-hidden="true" className="size-2 rounded-full bg-accent" />
          <span>
            <strong className="font-medium">{name}</strong> is attached ({state}). Its results will
            appear on <TextLink href={deviceHref(device.key)}>its device’s page</TextLink>.
          </span>
        </li>
      ))}
    </ul>
  );
}
