import type { SweepEvent } from '@tilemark/core';
import { eventStream } from '@/server/events';
import { operations } from '@/server/operations';
import { mayStill } from '@/server/principal';
import { found, serve } from '@/server/serve';

const isFinal = ({ status, counts }: SweepEvent): boolean =>
  status === 'done' || (status === 'cancelled' && counts.pending === 0);

/** The counts and newest results at once, then every change, until the sweep ends or the reader leaves. */
export const GET = serve(
  operations.watchSweep,
  async ({ request, params: { id = '' }, services }) => {
    const { stopping, store } = services;
    found(await store.sweeps.get(id), `There is no sweep ${id}.`);
    const mayRead = () => mayStill(operations.watchSweep.access, request, services);
    const signals = [request.signal, stopping];
    return eventStream({ signals, mayRead }, async (send, signal) => {
      const ended = new AbortController();
      await store.sweeps.watch(
        id,
        (event) => {
          send(event);
          // A run that had begun when the sweep was cancelled still ends.
          if (isFinal(event)) ended.abort();
        },
        AbortSignal.any([signal, ended.signal]),
      );
    });
  },
);
