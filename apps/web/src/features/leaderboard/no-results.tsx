import { ButtonLink, TextLink } from '@/ui/button';
import { Empty } from '@/ui/notice';
import type { BoardQuery } from './query';

/** The board before its first result, or where a filter leaves nothing. */
export function NoResults({ hasAny, query }: { hasAny: boolean; query: BoardQuery }) {
  const { dtype, op, profile, shape } = query;
  if (hasAny) {
    const sweep = new URLSearchParams({
      kernel: `${op}/naive`,
      dtype,
      profile,
      ...(shape && { shape }),
    });
    return (
      <Empty
        title={`No device shown has measured ${op} ${shape ?? ''} ${dtype} under ${profile} yet`}
      >
        <p>Choose another problem or more groups above, or measure this one.</p>
        <ButtonLink href={`/sweeps/new?${sweep}`}>Sweep this problem</ButtonLink>
      </Empty>
    );
  }
  return (
    <Empty title="No results yet">
      <p>
        Results appear here as soon as a worker hands in the first one. A worker that attaches a
        device for the first time runs the starter suite by itself, in about a minute.
      </p>
      <p className="flex flex-wrap items-center justify-center gap-3">
        <ButtonLink href="/workers" look="primary">
          Attach a worker
        </ButtonLink>
        <TextLink href="/sweeps/new?suite=starter">or submit a sweep</TextLink>
      </p>
    </Empty>
  );
}
