'use client';

import { useState } from 'react';
import type { Made } from '@/features/tokens/make-token';
import { MakeTokenForm } from '@/features/tokens/make-token-form';
import { linkStyle, TextLink } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Notice } from '@/ui/notice';
import { Arrivals } from './arrivals';
import { attachCommand, devicesCommand, SYSTEMS } from './attach-command';

/** What stands for the token until there is one. */
const PLACEHOLDER = 'TOKEN';

/**
 * Attaches a machine: makes a worker token, shows the command with it for each system, and says
 * when the machine is there.
 *
 * @param origin of this grid, as the reader reaches it
 */
export function Attach({ origin, isAdmin }: { origin: string; isAdmin: boolean }) {
  const [made, setMade] = useState<Made | null>(null);
  const token = made?.ok ? made.secret : PLACEHOLDER;
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-5 marker:font-medium marker:text-muted">
      <li>
        {isAdmin
          ? 'Make a token for the machine. One each: a token is revoked on its own.'
          : 'Ask an admin for a worker token, and put it where the commands say TOKEN.'}
        {isAdmin && (
          <div className="mt-1.5">
            <MakeTokenForm
              id="machine"
              label="Make a worker token"
              whom="Machine"
              columns="sm:grid-cols-[1fr_9rem_auto]"
              onMade={setMade}
            >
              <input type="hidden" name="role" value="worker" />
            </MakeTokenForm>
          </div>
        )}
        {made?.ok === false && (
          <div className="mt-2">
            <Notice tone="rose" alert>
              {made.message}
            </Notice>
          </div>
        )}
      </li>
      <li>
        Run one of these on the machine. It needs{' '}
        <a className={linkStyle} href="https://nodejs.org">
          Node
        </a>{' '}
        20.19 or newer; Linux also a Vulkan driver for its GPU, which macOS and Windows bring.
        <div className="mt-1.5 space-y-2" role="status">
          {made?.ok && (
            <p className="text-[0.8125rem]">
              The commands hold the token for {made.name}. Copy one now: it is not shown again.
            </p>
          )}
          {SYSTEMS.map((system) => (
            <div key={system.id}>
              <p className="mb-1 text-xs font-medium">{system.name}</p>
              <Command
                label={`the command for ${system.name}`}
                text={attachCommand(origin, token, system)}
              />
            </div>
          ))}
        </div>
      </li>
      <li>
        Within seconds the machine is in the table above, and starts on the{' '}
        <TextLink href="/coverage">standing suites</TextLink>.
        {made?.ok && (
          // Another token is waited for anew.
          <div className="mt-1.5" key={made.secret}>
            <Arrivals />
          </div>
        )}
        <p className="mt-1.5 text-[0.8125rem] text-muted">
          It attaches its first GPU; <code>--device N</code> chooses another, as{' '}
          <code className="break-words">{devicesCommand(origin)}</code> lists them. To keep it
          running, through a proxy, with TLS, or without a network:{' '}
          <TextLink href="/docs/attaching">attaching a machine</TextLink>.
        </p>
      </li>
    </ol>
  );
}
