import { type Leaderboard, PROFILE_WORDS, PROFILES } from '@tilemark/core';
import { DTYPES, dimensionsText, OPS, parseShape, shapeText, sidesText } from '@tilemark/kernels';
import { SelectField } from '@/ui/field';
import { plural } from '@/ui/format';
import { Tabs } from '@/ui/navigation';
import { QueryForm } from '@/ui/query-form';
import { type BoardQuery, boardHref, type View } from './query';

/** The board's filters; the choice is in the address. */
export function Filters({
  board,
  query,
}: {
  board: Pick<Leaderboard, 'problem' | 'problems'>;
  query: BoardQuery;
}) {
  const shapes = board.problems
    .filter(({ problem }) => problem.op === query.op && problem.dtype === query.dtype)
    .map(({ problem, devices }) => ({ shape: shapeText(problem), devices }));
  const shown = board.problem && shapeText(board.problem);
  // A shape without results may be asked for: it stays chosen, so that the form tells the truth.
  const chosen = query.shape ?? shown ?? '';
  const words = (shape: string) => sidesText({ op: query.op, shape: parseShape(query.op, shape) });
  const isListed = shapes.some(({ shape }) => shape === chosen);

  return (
    <QueryForm label="Filter the leaderboard" resets={{ op: ['shape'], dtype: ['shape'] }}>
      {query.view !== 'devices' && <input type="hidden" name="view" value={query.view} />}
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
        value={chosen}
        options={[
          ...(isListed
            ? []
            : [[chosen, chosen === '' ? 'no results yet' : words(chosen)] as const]),
          ...shapes.map(
            ({ shape, devices }) =>
              [shape, `${words(shape)} (${plural(devices, 'device')})`] as const,
          ),
        ]}
      />
      <details className="basis-full text-[0.8125rem]">
        <summary className="text-muted">Advanced: profile {query.profile}</summary>
        <div className="mt-2 flex flex-wrap items-end gap-3">
          <Choice
            name="profile"
            label="Profile"
            value={query.profile}
            options={PROFILES.map((profile) => [profile, PROFILE_WORDS[profile]])}
          />
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
  ['portability', 'Portability'],
];

/** The views of the board; the filters go along. */
export function ViewLinks({ query }: { query: BoardQuery }) {
  const hrefOf = (view: View) => boardHref(query, { view, rows: null });
  const tabs = TITLES.map(([view, title]) => [hrefOf(view), title] as const);
  return <Tabs label="Views of the leaderboard" tabs={tabs} here={hrefOf(query.view)} />;
}
