import { Command } from '@/ui/action';
import { linkStyle, TextLink } from '@/ui/button';

/** How to bring in results from a machine that cannot reach this grid. */
export function ImportResults({ origin }: { origin: string }) {
  return (
    <ol className="max-w-3xl list-inside list-decimal space-y-5 marker:font-medium marker:text-muted">
      <li>
        Copy{' '}
        <a className={linkStyle} href="/worker.tgz" download>
          worker.tgz
        </a>{' '}
        to the machine and run the benchmark there. It needs <code>webgpu</code>, which comes from
        npm; for a machine without any network, see{' '}
        <TextLink href="/docs/operate#machines-without-a-path-to-the-grid">
          Attach and operate
        </TextLink>
        .
        <div className="mt-1.5">
          <Command
            label="the command that measures"
            text="npx -y ./worker.tgz bench --suite starter --json results.json"
          />
        </div>
      </li>
      <li>
        Import the file from here, with a member token. Its results become a finished sweep, marked
        as imported by you.
        <div className="mt-1.5">
          <Command
            label="the command that imports"
            text={`TILEMARK_TOKEN=tm_member_... npx -y ${origin}/worker.tgz import results.json --server ${origin}`}
          />
        </div>
      </li>
    </ol>
  );
}
