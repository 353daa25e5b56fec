'use client';

import { useState } from 'react';
import type { Made } from '@/features/tokens/make-token';
import { MakeTokenForm } from '@/features/tokens/make-token-form';
import { TextLink } from '@/ui/button';
import { Command } from '@/ui/copy';
import { Notice } from '@/ui/notice';
import { attachCommand, devicesCommand, SYSTEMS } from './attach-command';

/** What stands for the token until there is one. */
const PLACEHOLDER = 'TOKEN';

/**
 * Attaches a machine: makes a worker token and shows the command with it, for each system.
 *
 * @param origin of this grid, as the reader reaches it
 */
export function Attach({ origin, isAdmin }: { origin: string; isAdmin: boolean }) {
  const [made, setMade] = useState<Made | null>(null);
  const token = made?.ok ? made.secret : PLACEHOLDER;
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-4 marker:text-muted">
      <li>
        {isAdmin ? 'Make a token for the machine.' : 'Ask an admin for a worker token.'}
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
          <Notice tone="rose" alert>
            {made.message}
          </Notice>
        )}
      </li>
      <li>
        Run on the machine, which needs{' '}
        <a className="underline" href="https://nodejs.org">
          Node
        </a>{' '}
        20.19 or newer and its GPU’s driver:
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
        The machine appears above within seconds and starts on the standing suites. It attaches its
        first GPU; <code>--device N</code> chooses another, as <code>{devicesCommand(origin)}</code>{' '}
        lists them. As a service, behind a proxy, with TLS:{' '}
        <TextLink href="/docs/attaching">attaching a machine</TextLink>.
      </li>
    </ol>
  );
}
