import { longId } from '@/features/results/short-id';

/** `/r/ID` (next.config.mjs): the short address of a result. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }) {
  const id = longId((await params).id);
  return new Response(null, { status: 307, headers: { Location: id ? `/results/${id}` : '/404' } });
}
