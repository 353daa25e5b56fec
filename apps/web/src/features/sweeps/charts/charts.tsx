'use client';

import { intervalsText, isMeasured, type MeasuredRun, type RunView } from '@tilemark/core';
import { arithmeticIntensity, DTYPES, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useMemo } from 'react';
import { SelectField } from '@/ui/field';
import { formatShape } from '@/ui/format';
import { Panel, Section } from '@/ui/page';
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
import type { LibraryRate } from './library-lines';
import { VariantBars } from './rate-bars';
import { SizeCurves } from './size-curves';
import { TileMap } from './tile-map';

/** Charts of a sweep, of the problem and device that is chosen; nothing before a run is measured. */
export function Charts({
  runs,
  devices,
  libraries,
}: {
  runs: readonly RunView[];
  devices: readonly DeviceFacts[];
  libraries: readonly LibraryRate[];
}) {
  const [query, setQuery] = useQuery();
  const measured = useMemo(() => drawnRuns(runs.filter(isMeasured)), [runs]);
  const groups = useMemo(() => group(measured, chartKey), [measured]);
  const keys = [...groups.keys()];
  const key = keys.find((known) => known === query.get('group')) ?? keys[0];
  const chosen = key === undefined ? undefined : groups.get(key);
  const first = chosen?.[0];
  const alike = useMemo(
    () => measured.filter((run) => first && isAlike(run, first)),
    [measured, first],
  );
  const beside = useMemo(
    () =>
      libraries.filter(
        ({ hardware, problem }) =>
          hardware === first?.device.name &&
          problem.op === first.problem.op &&
          problem.dtype === first.problem.dtype,
      ),
    [libraries, first],
  );
  const styles = useMemo(
    () =>
      seriesStyles([
        ...measured.map(({ variant }) => shortKernel(variant.kernel)),
        ...libraries.map(({ name }) => name),
      ]),
    [measured, libraries],
  );
  if (!chosen || !first) return null;
  const hasPolicies = new Set(measured.map(({ policy }) => policy)).size > 1;
  const intervals = intervalsText(
    chosen.map(({ figures: { independent, samples: n } }) => ({ n, independent })),
  );
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
      <FigureSubject value={groupText(first, hasPolicies)}>
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
          <div className="gap-0 lg:columns-2 [&>*]:break-inside-avoid">
            <VariantBars key={key} runs={chosen} libraries={beside} intervals={intervals} />
            <TileMap runs={chosen} />
            <SizeCurves key={`sizes ${key}`} runs={alike} libraries={beside} styles={styles} />
            <Roofline runs={alike} styles={styles} devices={devices} />
          </div>
        </Panel>
      </FigureSubject>
    </Section>
  );
}

const groupText = ({ device, policy, problem, profile }: RunView, hasPolicies: boolean): string =>
  [problemText(problem), profile, ...(hasPolicies ? [policyText(policy)] : []), device.name].join(
    ', ',
  );

/** Whether two runs differ in their variants and shapes alone. */
const isAlike = (a: RunView, b: RunView): boolean =>
  a.problem.op === b.problem.op &&
  a.problem.dtype === b.problem.dtype &&
  a.profile === b.profile &&
  a.policy === b.policy &&
  a.device.key === b.device.key;

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
    <div>
      <RooflinePlot roof={roof} points={points} device={like?.device.name ?? ''} styles={styles} />
    </div>
  );
}
