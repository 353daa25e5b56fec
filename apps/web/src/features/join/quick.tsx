import { benchLines, type Leaderboard, leaderboardSchema, suiteSpec } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { Button, TextLink } from '@/ui/button';
import { Failure } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { ask, read } from '@/ui/request';
import type { OwnersTask } from './browser-device';
import { benchmarkHere, type QuickState } from './here';
import type { EndedHere } from './lending';
import { runText } from './run-text';
import { RunsTable, timesOf } from './runs-table';

const importedSchema = z.object({ id: z.string() });

/**
 * The quick suite in this tab, beside the board. Nothing leaves the tab unless a visitor with a login
 * or an invite says so.
 */
export function Quick({
  browser,
  publisher,
  isReady,
  waitsFor,
  isFirst,
}: {
  browser: Pick<OwnersTask, 'version' | 'card'>;
  /** What a visitor publishes with: a session, or the token of an invite; null: nothing. */
  publisher: 'session' | (() => Promise<string>) | null;
  /** Whether the GPU has been found and is free. */
  isReady: boolean;
  /** Why it cannot start yet, if it cannot. */
  waitsFor: string | null;
  /** Whether this is what the visitor has come for. */
  isFirst: boolean;
}) {
  const [state, setState] = useState<QuickState | null>(null);
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [sweep, setSweep] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  // Lending takes the GPU over.
  useEffect(() => {
    if (!isReady) stop.current.abort();
  }, [isReady]);

  const start = async () => {
    stop.current = new AbortController();
    setWorking(true);
    setProblem(null);
    setSweep(null);
    const { signal } = stop.current;
    await benchmarkHere(suiteSpec('quick'), browser, setState, signal).catch((error: Error) => {
      if (!signal.aborted) setProblem(error.message);
    });
    setWorking(false);
  };
  const upload = async () => {
    const { environment, results = [] } = state ?? {};
    const body = benchLines({ version: 1, environment, results });
    try {
      const token = typeof publisher === 'function' ? await publisher() : undefined;
      const request = { body, type: 'application/x-ndjson', answer: importedSchema.loose(), token };
      const answer = await ask('/api/v1/results/import', request);
      setProblem(answer.ok ? null : answer.message);
      if (answer.ok) setSweep(answer.value.id);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  const { results = [], run, ended = 0, total = 0 } = state ?? {};
  return (
    <Section title="Benchmark this browser" id="quick">
      <Panel className="space-y-3 p-4">
        <p>
          A few kernels, in this tab only: about a minute on a GPU. You see where your GPU would be
          on the board; nothing is sent
          {publisher ? ' unless you publish it.' : '.'}
        </p>
        <div className="flex flex-wrap items-center gap-3">
          {isWorking ? (
            <Button onClick={() => stop.current.abort()}>Stop</Button>
          ) : (
            <Button
              look={isFirst ? 'primary' : 'plain'}
              disabled={!isReady}
              onClick={() => void start()}
            >
              Benchmark this browser
            </Button>
          )}
          {publisher && !isWorking && results.length > 0 && !sweep && (
            <Button onClick={() => void upload()}>Publish these results</Button>
          )}
          <p role="status" className="text-[0.8125rem] wrap-anywhere text-muted">
            {!isWorking && waitsFor}
            {isWorking && (total === 0 ? 'Opening the GPU…' : `${ended} of ${total}. `)}
            {isWorking && run && runText(run)}
            {sweep && (
              <>
                Published: <TextLink href={`/sweeps/${sweep}`}>the sweep</TextLink>.
              </>
            )}
          </p>
        </div>
        <Failure why={problem} />
        {results.length > 0 && (
          <RunsTable
            caption="This browser beside the board"
            runs={results}
            place={{ head: 'Your GPU would be', cell: (run) => <Place run={run} /> }}
          />
        )}
      </Panel>
    </Section>
  );
}

/** Where a result would stand among the best of each device, natively and in browsers alike. */
export function Place({ run }: { run: EndedHere }) {
  const [board, setBoard] = useState<Leaderboard | null>(null);
  const { op, dtype } = run.problem;
  const shape = shapeText(run.problem);
  useEffect(() => {
    const query = new URLSearchParams({ op, dtype, shape });
    void read(`/api/v1/leaderboard?${query}`, leaderboardSchema).then(setBoard);
  }, [op, dtype, shape]);
  const { medianNs = null } = timesOf(run) ?? {};
  if (!board || medianNs === null) return '–';
  const among = (isBrowser: boolean) => {
    const rows = board.rows.filter(({ device }) => (device.class === 'browser') === isBrowser);
    const faster = rows.filter((row) => row.medianNs < medianNs).length;
    return rows.length === 0 ? null : `${faster + 1} of ${rows.length + 1}`;
  };
  const [browsers, native] = [among(true), among(false)];
  if (!browsers && !native) return 'the first';
  return [browsers && `${browsers} browsers`, native && `beside native: ${native}`]
    .filter(Boolean)
    .join('; ');
}
