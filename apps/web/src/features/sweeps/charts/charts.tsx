'use client';

import { intervalsText, isMeasured, type MeasuredRun, type RunView } from '@tilemark/core';
import { arithmeticIntensity, DTYPES, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatShape } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { FigureSubject } from '@/ui/plot/plot';
import { type SeriesStyles, seriesStyles } from '@/ui/plot/scales';
import { useQuery } from '@/ui/use-query';
import { peakOver } from '../../devices/roof';
import { RooflinePlot } from '../../devices/roofline-plot';
import type { DeviceFacts } from '../load';
import {
  chartKey,
  drawnRuns,
  policyText,
  problemText,
  resultHref,
  shortKernel,
  shortLabels,
} from '../runs';
import { curvesOf } from './curves';
import { HeatMap } from './heat-map';
import type { LibraryRate } from './library-lines';
import { DeviceBars, VariantBars } from './rate-bars';
import { SizeCurves } from './size-curves';
import { type PublishedTime, SpeedupCurves, TimeCurves } from './thread-curves';
import { TunableCharts } from './tunable-charts';

/** Charts of a sweep: what the reports drew by hand, of the problem and device that is chosen. */
export function Charts({
  runs,
  isOver,
  devices,
  libraries,
  published,
}: {
  runs: readonly RunView[];
  isOver: boolean;
  devices: readonly DeviceFacts[];
  libraries: readonly LibraryRate[];
  published: readonly PublishedTime[];
}) {
  const [query, setQuery] = useQuery();
  const measured = useMemo(() => drawnRuns(runs.filter(isMeasured)), [runs]);
  const groups = useMemo(() => group(measured, chartKey), [measured]);
  const hasPolicies = new Set(measured.map(({ policy }) => policy)).size > 1;
  const isOneOfSeveral = runs.filter(isMeasured).length > measured.length;
  const keys = [...groups.keys()];
  const key = keys.find((each) => each === query.get('group')) ?? keys[0];
  const chosen = key === undefined ? undefined : groups.get(key);
  const policy = chosen?.[0]?.policy;
  const name = chosen?.[0]?.device.name;
  const beside = useMemo(
    () => libraries.filter(({ hardware }) => hardware === name),
    [libraries, name],
  );
  const intervals = useMemo(() => {
    const drawn = measured.filter((run) => run.policy === policy);
    return intervalsText(
      drawn.map(({ figures: { independent, samples: n } }) => ({ n, independent })),
    );
  }, [measured, policy]);

  if (!chosen) {
    return (
      <Empty title={isOver ? 'No run was measured' : 'No run has been measured yet'}>
        <p>
          {isOver
            ? 'The table above says how each run ended.'
            : 'The charts draw themselves as results come in.'}
        </p>
      </Empty>
    );
  }
  const [like] = chosen;
  return (
    <FigureSubject value={like ? groupText(like, hasPolicies) : ''}>
      <Panel>
        {keys.length > 1 && (
          <div className="max-w-xl px-4 pt-3">
            <SelectField
              id="group"
              label={
                hasPolicies ? 'Problem, profile, policy and device' : 'Problem, profile and device'
              }
              value={key}
              onChange={(event) => setQuery({ group: event.target.value })}
              options={[...groups].map(([each, [run]]) => [
                each,
                run ? groupText(run, hasPolicies) : each,
              ])}
            />
          </div>
        )}
        {isOneOfSeveral && (
          <p className="px-4 pt-3 text-xs text-muted">
            A variant with several runs is drawn once: by its ranked run, or by its fastest where
            none is ranked.
          </p>
        )}
        {hasPolicies && policy && (
          <p className="px-4 pt-3 text-xs text-muted">
            Drawn are the {policyText(policy)} alone: runs of different policies are not compared.
          </p>
        )}
        <VariantBars key={key} runs={chosen} libraries={beside} intervals={intervals} />
        <DeviceBars
          key={`devices ${key}`}
          libraries={libraries}
          runs={measured.filter((run) => chosen[0] && isSameWork(run, chosen[0]))}
          intervals={intervals}
        />
        <TunableCharts runs={chosen} />
        <Courses
          runs={measured}
          of={chosen}
          devices={devices}
          libraries={beside}
          published={published}
          intervals={intervals}
        />
      </Panel>
    </FigureSubject>
  );
}

const groupText = ({ device, policy, problem, profile }: RunView, hasPolicies: boolean): string =>
  [problemText(problem), profile, ...(hasPolicies ? [policyText(policy)] : []), device.name].join(
    ', ',
  );

const isSameWork = (a: RunView, b: RunView): boolean =>
  a.profile === b.profile &&
  a.policy === b.policy &&
  problemText(a.problem) === problemText(b.problem);

/** How times follow the threads of a workgroup and the size, on the device, dtype, profile and policy of `of`. */
function Courses({
  runs,
  of,
  devices,
  libraries,
  published,
  intervals,
}: {
  runs: readonly MeasuredRun[];
  of: readonly MeasuredRun[];
  devices: readonly DeviceFacts[];
  /** On hardware of the device's name. */
  libraries: readonly LibraryRate[];
  published: readonly PublishedTime[];
  /** What the ends beside medians are. */
  intervals: string;
}) {
  const [like] = of;
  const alike = useMemo(
    () =>
      runs.filter(
        (run) =>
          like &&
          run.problem.op === like.problem.op &&
          run.problem.dtype === like.problem.dtype &&
          run.profile === like.profile &&
          run.policy === like.policy &&
          run.device.key === like.device.key,
      ),
    [runs, like],
  );
  const beside = useMemo(
    () =>
      libraries.filter(
        ({ problem }) =>
          like && problem.op === like.problem.op && problem.dtype === like.problem.dtype,
      ),
    [libraries, like],
  );
  const curves = useMemo(() => curvesOf(alike), [alike]);
  const styles = useMemo(
    () =>
      seriesStyles([
        ...runs.map(({ variant }) => shortKernel(variant.kernel)),
        ...curves.points.map(({ color }) => color),
        ...libraries.map(({ name }) => name),
      ]),
    [runs, curves, libraries],
  );
  return (
    <>
      {curves.points.length > 0 && (
        <div className={BESIDE}>
          <TimeCurves curves={curves} styles={styles} published={published} intervals={intervals} />
          {curves.isByShape ? (
            <SpeedupCurves curves={curves} styles={styles} intervals={intervals} />
          ) : (
            <HeatMap curves={curves} />
          )}
        </div>
      )}
      {!curves.isByShape && (
        <div className="border-t border-line empty:hidden">
          <SpeedupCurves curves={curves} styles={styles} intervals={intervals} />
        </div>
      )}
      <SizeCurves key={like && chartKey(like)} runs={alike} libraries={beside} styles={styles} />
      <Roofline runs={alike} styles={styles} devices={devices} />
    </>
  );
}

/** Two charts beside each other where there is room, else one above the other. */
const BESIDE =
  'grid grid-cols-[minmax(0,1fr)] border-t border-line has-[>:nth-child(2)]:lg:grid-cols-2 [&>*+*]:border-line max-lg:[&>*+*]:border-t lg:[&>*+*]:border-l';

function Roofline({
  runs,
  styles,
  devices,
}: {
  runs: readonly MeasuredRun[];
  styles: SeriesStyles;
  devices: readonly DeviceFacts[];
}) {
  const [like] = runs;
  const facts = devices.find(({ key }) => key === like?.device.key);
  const whole = facts?.roofs.find(({ profile }) => profile === like?.profile);
  const dtype = like && DTYPES[like.problem.dtype].peak;
  const labels = useMemo(() => shortLabels(runs), [runs]);
  const points = useMemo(
    () =>
      runs
        .map(({ address, figures, problem, resultId, variant }) => ({
          label: `${labels.get(address) ?? address}, ${formatShape(shapeText(problem))}`,
          series: shortKernel(variant.kernel),
          flopPerByte: arithmeticIntensity(problem),
          rate: figures.rate,
          peak: peakOver({ problem, variant }),
          href: resultHref({ resultId }),
        }))
        .filter(({ flopPerByte }) => flopPerByte > 0),
    [runs, labels],
  );
  const roof = useMemo(
    () => whole && { ...whole, peaks: whole.peaks.filter((peak) => peak.dtype === dtype) },
    [whole, dtype],
  );
  if (!roof || roof.peaks.length === 0 || points.length === 0) return null;
  return (
    <div className="border-t border-line">
      <RooflinePlot roof={roof} points={points} device={like?.device.name ?? ''} styles={styles} />
    </div>
  );
}
