import { linkStyle, TextLink } from '@/ui/button';
import { Command } from '@/ui/copy';
import { LoginLink } from '@/ui/login-link';
import { ImportForm } from './import-form';

/** How results of a machine that does not reach this grid are brought here. */
export function ImportResults({ maySubmit }: { maySubmit: boolean }) {
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-5 marker:font-medium marker:text-muted">
      <li>
        Carry{' '}
        <a className={linkStyle} href="/worker.tgz" download>
          the worker
        </a>{' '}
        there, and measure. Node gets its one dependency, <code>webgpu</code>, from npm; without
        that either, take the folder that <TextLink href="/docs/attaching">the docs</TextLink> tell
        of.
        <div className="mt-1.5">
          <Command
            label="the command that measures"
            text="npx -y ./worker.tgz bench --suite starter --json results.json"
          />
        </div>
      </li>
      <li>
        Bring the file here. Its results become a finished sweep, marked as imported by you.
        <div className="mt-1.5">
          {maySubmit ? (
            <ImportForm />
          ) : (
            <p className="text-[0.8125rem] text-muted">
              That takes a member or an admin token.{' '}
              <LoginLink className={linkStyle}>Log in</LoginLink> first.
            </p>
          )}
        </div>
      </li>
    </ol>
  );
}
