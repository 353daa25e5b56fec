'use client';

import { intervalsText, isMeasured, type Published, type RunShown } from '@tilemark/core';
import { group } from 'd3-array';
import { useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatDays } from '@/ui/format';
import { Panel, Section } from '@/ui/page';
import { FigureSubject } from '@/ui/plot/plot';
import { useQuery } from '@/ui/use-query';
import { chartKey, drawnRuns, overHost, policyText, problemText } from '../runs';
import { reportNames } from '../tables/report';
import { Curves } from './curves';
import { VariantBars } from './rate-bars';
import { TileMap } from './tile-map';

/** The group that is drawn unless another is chosen: the first of a GPU, beside which the host is drawn too. */
export const usualKey = (groups: ReadonlyMap<string, readonly RunShown[]>): string | undefined =>
  [...groups].find(([, [run]]) => run?.device.class !== 'cpu')?.[0] ?? [...groups.keys()][0];

type Props = { runs: readonly RunShown[]; report: Published | null };

/** Charts of a sweep, of the problem and device that is chosen; nothing before a run is measured. */
export function Charts({ runs, report }: Props) {
  const [query, setQuery] = useQuery();
  const measured = useMemo(() => drawnRuns(runs.filter(isMeasured)), [runs]);
  const groups = useMemo(() => group(measured, chartKey), [measured]);
  const keys = [...groups.keys()];
  const key = keys.find((known) => known === query.get('group')) ?? usualKey(groups);
  const chosen = key === undefined ? undefined : groups.get(key);
  const first = chosen?.[0];
  const alike = useMemo(
    () => measured.filter((run) => first && isAlike(run, first)),
    [measured, first],
  );
  const names = useMemo(() => reportNames(report), [report]);
  const hosts = useMemo(() => overHost(measured), [measured]);
  // The host's runs of the problem are of another device.
  const withHost = useMemo(() => {
    const isOfOne = ({ policy, problem }: RunShown) =>
      policy === first?.policy && problemText(problem) === problemText(first.problem);
    return (
      chosen && [
        ...chosen.filter(({ device }) => device.class !== 'cpu'),
        ...measured.filter((run) => run.device.class === 'cpu' && isOfOne(run)),
      ]
    );
  }, [measured, chosen, first]);
  if (!chosen || !first) return null;
  const hasPolicies = new Set(measured.map(({ policy }) => policy)).size > 1;
  const intervals = intervalsText(
    chosen.map(({ figures: { independent, samples: n } }) => ({ n, independent })),
  );
  const days = formatDays(alike.flatMap(({ endedAt }) => endedAt ?? []));
  const subject = { title: groupText(first, hasPolicies), facts: [`Measured ${days}`] };
  return (
    <Section
      id="charts"
      title="Charts"
      note={
        runs.filter(isMeasured).length > measured.length
          ? 'a variant with several runs is drawn once, by the middle one'
          : undefined
      }
    >
      <FigureSubject value={subject}>
        <Panel>
          {keys.length > 1 && (
            <div className="max-w-xl px-4 pt-3">
              <SelectField
                id="group"
                label={
                  hasPolicies
                    ? 'Problem, profile, policy and device'
                    : 'Problem, profile and device'
                }
                value={key}
                onChange={(event) => setQuery({ group: event.target.value })}
                options={[...groups].map(([known, [run = first]]) => [
                  known,
                  groupText(run, hasPolicies),
                ])}
              />
            </div>
          )}
          <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,28rem),1fr))]">
            <VariantBars key={key} runs={chosen} names={names} intervals={intervals} />
            {withHost && hosts.has(first.runId) && (
              <VariantBars
                key={`host ${key}`}
                runs={withHost}
                host={hosts}
                {...{ names, intervals }}
              />
            )}
            <TileMap runs={chosen} names={names} />
            <Curves key={`curves ${key}`} runs={alike} of={first.problem} report={report} />
          </div>
        </Panel>
      </FigureSubject>
    </Section>
  );
}

const groupText = ({ device, policy, problem, profile }: RunShown, hasPolicies: boolean): string =>
  [problemText(problem), profile, ...(hasPolicies ? [policyText(policy)] : []), device.name].join(
    ', ',
  );

/** Whether two runs differ in their variants and shapes alone. */
const isAlike = (a: RunShown, b: RunShown): boolean =>
  a.problem.op === b.problem.op &&
  a.problem.dtype === b.problem.dtype &&
  a.profile === b.profile &&
  a.policy === b.policy &&
  a.device.key === b.device.key;
