import { TextLink } from '@/ui/button';

/** Why nothing takes a contributed kernel, and what to do. */
export const NoContributedWorker = () => (
  <>
    No worker of this grid runs contributed kernels now. Add{' '}
    <code className="whitespace-nowrap">--contributed</code> to the command that{' '}
    <TextLink href="/add">attaches a machine</TextLink>.
  </>
);
