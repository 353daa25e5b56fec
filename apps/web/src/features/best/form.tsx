import { type Gpu, PROFILE_WORDS, PROFILES, type Question, SHAPE_SUITES } from '@tilemark/core';
import { ENGINE_NAMES } from '@tilemark/core/contributed';
import { DTYPES, EPILOGUES, OPS, shapeText } from '@tilemark/kernels';
import { Button } from '@/ui/button';
import { Chip, controlStyle, Field, SelectField } from '@/ui/field';
import { Tabs } from '@/ui/navigation';
import { ThisBrowser } from './this-browser';

const FROM = { shipped: 'shipped', vendor: 'unmeasured' };

/** Which problems on which GPUs: submitted as the page's address, so it works without scripts. */
export function WorkbenchForm({ question, gpus }: { question: Question; gpus: readonly Gpu[] }) {
  const { op, dtype, engine = '', epilogue = '', one, profile, shapes, suite } = question;
  const isChosen = ({ id }: Gpu) => question.gpus.includes(id);
  const unlisted = question.gpus
    .filter((id) => gpus.every((gpu) => gpu.id !== id))
    .map((id): Gpu => ({ id, name: id.replace('/', ' '), from: 'vendor' }));
  const isFolded = (gpu: Gpu) => gpu.from === 'vendor' && !isChosen(gpu);
  const chip = (gpu: Gpu) => (
    <Chip key={gpu.id} name="gpu" value={gpu.id} defaultChecked={isChosen(gpu)}>
      {gpu.name}
      {gpu.from !== 'grid' && <span className="text-muted">{FROM[gpu.from]}</span>}
    </Chip>
  );
  return (
    <form method="get" action="/best" aria-label="Problems and GPUs" className="space-y-4">
      <input type="hidden" name="op" value={op} />
      <Tabs
        label="Operation"
        tabs={Object.entries(OPS).map(([id, { title }]) => [`/best?op=${id}`, title])}
        here={`/best?op=${op}`}
      />
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1fr_1fr]">
        <Field
          id="shapes"
          label="Shapes"
          hint={`${Object.keys(OPS[op].square(1)).join(' × ')}, such as 1x4096x4096, 512..2048`}
        >
          <textarea
            id="shapes"
            name="shapes"
            rows={2}
            aria-describedby="shapes-hint"
            defaultValue={
              suite ? '' : shapes.map((shape) => shapeText({ op, shape } as never)).join(' ')
            }
            className={`${controlStyle} h-auto py-1.5`}
          />
        </Field>
        <SelectField
          {...{ id: 'suite', name: 'suite', label: 'Or a suite', defaultValue: suite ?? '' }}
          options={[
            ['', 'none'],
            ...SHAPE_SUITES.filter((suite) => suite.op === op).map(
              ({ id, title }) => [id, title] as const,
            ),
          ]}
        />
        <SelectField
          {...{ id: 'dtype', name: 'dtype', label: 'Element type', defaultValue: dtype }}
          options={Object.entries(DTYPES).map(([id, { words }]) => [id, words])}
        />
        <SelectField
          {...{ id: 'engine', name: 'engine', label: 'Engine', defaultValue: engine }}
          options={[['', 'the GPU’s own, else Tint'], ...Object.entries(ENGINE_NAMES)]}
        />
      </div>
      <fieldset>
        <legend className="mb-1 text-xs font-medium">GPUs</legend>
        <div className="flex flex-wrap gap-2">
          {[...gpus.filter((gpu) => !isFolded(gpu)), ...unlisted].map(chip)}
          <ThisBrowser />
        </div>
        <details className="mt-2 text-[0.8125rem]">
          <summary>Other vendors</summary>
          <div className="mt-2 flex flex-wrap gap-2">{gpus.filter(isFolded).map(chip)}</div>
        </details>
      </fieldset>
      <div className="flex flex-wrap items-end gap-4">
        <Button type="submit" look="primary">
          Find kernels
        </Button>
        <details
          className="text-[0.8125rem]"
          open={profile !== 'default' || epilogue !== '' || one}
        >
          <summary>Advanced</summary>
          <SelectField
            {...{ id: 'profile', name: 'profile', label: 'Profile', defaultValue: profile }}
            options={PROFILES.map((each) => [each, PROFILE_WORDS[each]])}
          />
          <SelectField
            id="epilogue"
            name="epilogue"
            label="Epilogue"
            defaultValue={epilogue}
            options={[
              ['', 'none'],
              ...Object.entries(EPILOGUES).map(([id, { words }]) => [id, words] as const),
            ]}
          />
          <p className="mt-2">
            <Chip name="one" value="1" defaultChecked={one}>
              One variant for all
            </Chip>
          </p>
        </details>
      </div>
    </form>
  );
}
