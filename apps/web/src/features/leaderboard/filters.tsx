import { type Leaderboard, PROFILE_WORDS, PROFILES } from '@tilemark/core';
import { DTYPES, dimensionsText, OPS, parseShape, shapeText, sidesText } from '@tilemark/kernels';
import { Chip, SelectField } from '@/ui/field';
import { plural } from '@/ui/format';
import { Tabs } from '@/ui/navigation';
import { QueryForm } from '@/ui/query-form';
import { type BoardQuery, boardHref, GROUP_TITLES, type Group, type View, WITHOUT } from './query';

/** The board's filters; the choice is in the address. */
export function Filters({
  board,
  query,
  groups,
  referenceShapes,
}: {
  board: Pick<Leaderboard, 'problem' | 'problems'>;
  query: BoardQuery;
  /** What is shown. */
  groups: readonly Group[];
  /** Shapes that the reference has figures of, while it is shown. */
  referenceShapes: readonly string[];
}) {
  const shapes = board.problems
    .filter(({ problem }) => problem.op === query.op && problem.dtype === query.dtype)
    .map(({ problem, devices }) => ({ shape: shapeText(problem), devices }));
  const shown = board.problem && shapeText(board.problem);
  // A shape without results may be asked for: it stays chosen, so that the form tells the truth.
  const asked = query.shape ?? shown ?? '';
  const isOwn = (asked: string) => shapes.some(({ shape }) => shape === asked);
  const others = referenceShapes.filter((shape) => !isOwn(shape));
  const words = (shape: string) => sidesText({ op: query.op, shape: parseShape(query.op, shape) });
  const isListed = isOwn(asked) || others.includes(asked);
  const shownGroups = GROUP_TITLES.filter(([group]) => groups.includes(group));

  return (
    <QueryForm
      label="Filter the leaderboard"
      resets={{
        op: ['shape', 'ship'],
        dtype: ['shape', 'ship'],
        shape: ['ship'],
        profile: ['ship'],
      }}
    >
      {query.view !== 'devices' && <input type="hidden" name="view" value={query.view} />}
      {query.ship !== undefined && <input type="hidden" name="ship" value={query.ship} />}
      <Choice
        name="op"
        label="Operation"
        value={query.op}
        options={Object.entries(OPS).map(([id, { title }]) => [id, title])}
      />
      <Choice
        name="dtype"
        label="Element type"
        value={query.dtype}
        options={Object.entries(DTYPES).map(([dtype, { words }]) => [dtype, words])}
      />
      <Choice
        isLong
        name="shape"
        label={`Shape (${dimensionsText(query.op, '×')})`}
        value={asked}
        options={[
          ...(isListed ? [] : [[asked, asked === '' ? 'no results yet' : words(asked)] as const]),
          ...shapes.map(
            ({ shape, devices }) =>
              [shape, `${words(shape)} (${plural(devices, 'device')})`] as const,
          ),
          ...others.map((shape) => [shape, `${words(shape)} (reference)`] as const),
        ]}
      />
      <details className="basis-full text-[0.8125rem]">
        <summary className="text-muted">
          Advanced: profile {query.profile}; {shownGroups.map(([, title]) => title).join(', ')}
        </summary>
        <div className="mt-2 flex flex-wrap items-end gap-3">
          <Choice
            name="profile"
            label="Profile"
            value={query.profile}
            options={PROFILES.map((profile) => [profile, PROFILE_WORDS[profile]])}
          />
          <fieldset className="min-w-0">
            <legend className="mb-1 text-xs font-medium">Groups</legend>
            {/* The key renews the controls when the address changes under them. */}
            <div
              className="flex min-h-8 flex-wrap items-center gap-1.5 whitespace-nowrap"
              key={groups.join()}
            >
              {GROUP_TITLES.filter(([group]) => !WITHOUT[query.view].includes(group)).map(
                ([group, title]) => (
                  <Chip
                    key={group}
                    name="groups"
                    value={group}
                    defaultChecked={groups.includes(group)}
                  >
                    {title}
                  </Chip>
                ),
              )}
              {query.view === 'devices' && groups.includes('contributed') && (
                <Chip
                  name="contributed"
                  value="together"
                  defaultChecked={query.contributed === 'together'}
                  key={query.contributed}
                >
                  Rank contributed kernels with ours
                </Chip>
              )}
            </div>
          </fieldset>
        </div>
      </details>
    </QueryForm>
  );
}

function Choice({
  name,
  label,
  value,
  options,
  isLong = false,
}: {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  isLong?: boolean;
}) {
  return (
    // On a phone what is long has a line of its own.
    <div className={`min-w-32 flex-1 sm:flex-none ${isLong ? 'max-sm:basis-full' : ''}`}>
      {/* The key renews the control when the address changes under it. */}
      <SelectField
        {...{ id: `filter-${name}`, name, label, options, defaultValue: value }}
        key={value}
      />
    </div>
  );
}

const TITLES: readonly (readonly [View, string])[] = [
  ['devices', 'Devices'],
  ['heatmap', 'Devices × kernels'],
  ['portability', 'Portability'],
];

/** The views of the board; the filters go along. */
export function ViewLinks({ query }: { query: BoardQuery }) {
  const hrefOf = (view: View) => boardHref(query, { view, ship: null, rows: null });
  const tabs = TITLES.map(([view, title]) => [hrefOf(view), title] as const);
  return <Tabs label="Views of the leaderboard" tabs={tabs} here={hrefOf(query.view)} />;
}
