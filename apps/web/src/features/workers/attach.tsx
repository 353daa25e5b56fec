'use client';

/** Workers: attaching a machine, what each worker is doing, and importing results measured elsewhere. */
import { useState } from 'react';
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
        Within seconds the machine appears among the <TextLink href="/operate">workers</TextLink>{' '}
        and starts on the standard suites. If it does not, the terminal says why.
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
