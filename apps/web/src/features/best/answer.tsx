/** The best-kernel lookup: which variant to use for a problem on a device, and on what evidence. */
import { type BestVariant, driverText, LIKE_SHAPE, shapeDistance } from '@tilemark/core';
import { opOf, type Problem, shapeText, shortAddress } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { Address, kernelHref, VariantLink } from '@/features/kernels/address';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { CommandText, CopyButton } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { type Fold, WgslCode } from '@/ui/code';
import { type Fact, Facts, Moment } from '@/ui/facts';
import {
  formatBytes,
  formatNs,
  formatPercent,
  formatShape,
  plural,
  rateText,
  ratioText,
} from '@/ui/format';
import { Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';

/** The evidence for the variant: results of this grid, or what the release ships. */
export function evidence({
  devices,
  isSourceMeasured,
  duel,
  partOfBest,
  prediction,
  result,
  shipped,
  shorterMedian,
  wgsl,
}: BestVariant): Fact[] {
  if (prediction) {
    const { ns, error, rate, device, driver, measuredAt, profile, runnersUp, basis } = prediction;
    // A search repeats no run, so that nothing is known of how a measured time repeats there.
    const time = (each: Pick<(typeof runnersUp)[number], 'ns' | 'error' | 'basis'>) =>
      each.basis === 'measured'
        ? formatNs(each.ns)
        : `${formatNs(each.ns)} ±${formatPercent(each.error)}`;
    return [
      {
        name: basis === 'measured' ? 'Measured time' : 'Predicted time',
        about:
          basis === 'measured'
            ? 'The median, or the slow end of a wide interval'
            : 'Standard deviation, relative',
        value: `${time({ ns, error, basis })}, ${rateText(rate)}`,
      },
      {
        name: 'Evidence from',
        value: `${device}${driver && `, driver ${driverText(driver)}`}, profile ${profile}`,
      },
      { name: 'Measured', value: <Moment date={measuredAt} /> },
      ...runnersUp.map((each, index) => ({
        name: `Runner-up ${index + 1}`,
        about:
          'By expected time: of two that promise the same, the one known better, and measured nearer, comes first',
        value: (
          <span title={each.address}>
            {time(each)} <Address of={shortAddress(each.address)} />
          </span>
        ),
      })),
    ];
  }
  if (shipped) {
    return [
      { name: 'Measured on', value: `${shipped.device}, driver ${driverText(shipped.driver)}` },
      {
        name: 'Rate',
        value: `${rateText(shipped.rate)}, ${formatNs(shipped.medianNs)}`,
      },
      { name: 'Measured', value: <Moment date={shipped.measuredAt} /> },
      {
        name: shipped.found.by === 'tuner' ? 'Found by' : 'How found',
        value:
          shipped.found.by === 'tuner' ? (
            <CommandText text={shipped.found.command} />
          ) : (
            shipped.found.note
          ),
      },
    ];
  }
  if (!result || partOfBest === null) return [];
  return [
    {
      name: 'Speed relative to the best',
      about: `100% is the best variant measured there, each counted at its median or at the slow end of a wide interval${devices === 1 ? '' : '; geometric mean over the devices'}`,
      value: formatPercent(partOfBest),
    },
    ...(shorterMedian
      ? [
          {
            name: 'Shorter median, not proven',
            about: 'Its interval is wide, so it counts at the slow end',
            value: (
              <>
                <VariantLink {...shorterMedian} />: {formatNs(shorterMedian.medianNs)}, counted at{' '}
                {formatNs(shorterMedian.provenNs)}
              </>
            ),
          },
        ]
      : []),
    { name: 'Measured on', value: <DeviceName device={result.device} /> },
    {
      name: 'Rate',
      value: (
        <TextLink href={`/results/${result.id}`}>
          {rateText(result.rate)}, {formatNs(result.medianNs)}
        </TextLink>
      ),
    },
    { name: 'Measured', value: <Moment date={result.measuredAt} /> },
    ...(duel
      ? [
          {
            name: 'Decided by a duel',
            about: 'Separate times cannot tell the two apart',
            value: `${ratioText(duel)} the speed of ${duel.against}`,
          },
        ]
      : []),
    ...(wgsl === null
      ? []
      : [
          {
            name: 'Shader',
            about: 'Is the WGSL below what was timed?',
            value: timedText(isSourceMeasured),
          },
        ]),
  ];
}

function timedText(isSourceMeasured: BestVariant['isSourceMeasured']): string {
  if (isSourceMeasured === null) return 'unknown: the result was imported without its shader';
  return isSourceMeasured
    ? 'the WGSL below was timed'
    : 'another version of it was timed; the time may differ';
}

/** The variant to run, the evidence for it, and its shader. */
export function BestAnswer({ best, fold }: { best: BestVariant; fold: Fold }) {
  const { asked, address, measured, needs, passes, variant, wgsl } = best;
  return (
    <>
      <Section
        id="variant"
        title={`For ${asked.op} ${formatShape(shapeText(asked))} ${asked.dtype}`}
        note={`profile ${best.profile}`}
      >
        <Notice
          tone={
            best.unconfirmed ||
            best.fallback === 'overall' ||
            !best.isExact ||
            isOfOtherProfile(best)
              ? 'amber'
              : 'neutral'
          }
          className="mb-3"
        >
          {best.unconfirmed && (
            <>
              <UnconfirmedMark />. No result that could answer this is confirmed.{' '}
            </>
          )}
          {howFound(best)}
        </Notice>
        <Panel>
          <div className="border-b border-line px-4 py-3">
            <TextLink href={kernelHref(variant.kernel)} aria-label={`Kernel ${variant.kernel}`}>
              <Address of={address} />
            </TextLink>
          </div>
          <Facts
            columns={2}
            facts={[
              { name: 'Measured shape', value: formatShape(shapeText(measured)) },
              ...evidence(best),
              ...(needs
                ? [
                    { name: 'Workgroup size', value: needs.workgroupSize.join(' × ') },
                    { name: 'Workgroup memory', value: formatBytes(needs.workgroupBytes) },
                    { name: 'Features', value: needs.features.join(', ') || 'none' },
                  ]
                : []),
              ...(passes.length > 0
                ? [
                    {
                      name: 'Dispatches',
                      value: passes
                        .map(
                          ({ entryPoint, workgroups }) =>
                            `${entryPoint} ${workgroups.join(' × ')} workgroups`,
                        )
                        .join(', then '),
                    },
                  ]
                : []),
            ]}
          />
        </Panel>
      </Section>
      {wgsl !== null && (
        <Section
          id="wgsl"
          title="WGSL"
          note="as generated by this release for these tunables"
          actions={
            <CopyButton
              from={`/api/v1${kernelHref(variant.kernel, variant.tunables, asked.dtype)}`}
              label="the WGSL"
            />
          }
        >
          <WgslCode source={wgsl} label={`WGSL of ${address}`} fold={fold} />
        </Section>
      )}
    </>
  );
}

const WHOSE: Readonly<Record<BestVariant['fallback'], string>> = {
  device: 'Based on results from this device',
  shipped: 'Ships with Tilemark; nothing faster has been ranked here',
  architecture: 'Based on results from its architecture',
  vendor: 'Based on results from its vendor',
  overall: 'Based on results from all devices; nothing closer has been ranked',
};

/** Rounded up: 2.048 is within a factor of 2.1. */
const ROUNDED_UP = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 2,
  roundingMode: 'ceil',
  useGrouping: false,
});

const isOfOtherProfile = ({ prediction, profile }: Pick<BestVariant, 'prediction' | 'profile'>) =>
  prediction ? prediction.profile !== profile : false;

/**
 * Under which profile the evidence was measured, if under another one; whose results decided; and how
 * far the measured shape is from the requested one.
 */
export function howFound({
  fallback,
  isExact,
  asked,
  measured,
  devices,
  shipped,
  prediction,
  profile,
  result,
}: BestVariant): string {
  if (prediction) {
    const found = whatPredicted(prediction, { asked, measured, fallback });
    return isOfOtherProfile({ prediction, profile })
      ? `Measured under profile ${prediction.profile}, not ${profile}, where the time will differ and another variant may be the fastest. ${found}`
      : found;
  }
  const whose = shipped
    ? `measured on ${shipped.device} with driver ${driverText(shipped.driver)}`
    : plural(devices, 'device');
  const who =
    result?.device.class === 'software' && fallback === 'overall'
      ? `No GPU here has a ranked result of this: the answer is of a software adapter, ${result.device.name}, and says little about a GPU.`
      : fallback === 'device'
        ? `${WHOSE.device}.`
        : `${WHOSE[fallback]} (${whose}).`;
  if (isExact) return `${who} The requested shape was measured.`;
  const isFar = shapeDistance(asked, measured) > LIKE_SHAPE;
  const factor = ROUNDED_UP.format(largestFactor(asked, measured));
  return `${who} The nearest measured shape is ${formatShape(shapeText(measured))}; each of its sizes is within a factor of ${factor} of the requested one${isFar ? '. That is far: measure before relying on it' : ''}.`;
}

function whatPredicted(
  { basis, device, shapes }: NonNullable<BestVariant['prediction']>,
  { asked, measured, fallback }: Pick<BestVariant, 'asked' | 'measured' | 'fallback'>,
): string {
  const from = `${plural(shapes, 'shape')} measured on ${device}`;
  if (basis === 'measured') {
    const whose = fallback === 'device' ? 'Measured here' : 'Ships with Tilemark';
    return `${whose}: the fastest timed on this shape, one of ${from}.`;
  }
  if (fallback === 'vendor') {
    return `Predicted from ${from}, another model of the vendor: measure before relying on it.`;
  }
  const isFar = shapeDistance(asked, measured) > LIKE_SHAPE;
  return `Predicted from ${from}; the nearest of them is ${formatShape(shapeText(measured))}${isFar ? '. That is far: measure before relying on it' : ''}.`;
}

/** The largest factor between sizes of two shapes: 2 is twice or half. */
function largestFactor(asked: Problem, measured: Problem): number {
  const sizes = opOf(measured).sizes(measured.shape);
  const factors = opOf(asked)
    .sizes(asked.shape)
    .map((size, index) => {
      const other = sizes[index] ?? Number.NaN;
      return Math.max(size / other, other / size);
    });
  return Math.max(...factors);
}
