'use client';

import { defaultText, guess, hasManifest, kernelTemplate } from '@tilemark/core/contributed';
import {
  DTYPES,
  type Dtype,
  type GpuKernel,
  InputError,
  idsOf,
  ifValid,
  OPS,
} from '@tilemark/kernels';
import { type DragEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { useWatch } from 'react-hook-form';
import { ClassBadge } from '@/features/devices/device-name';
import { LazyEngines } from '@/features/engines/lazy';
import { kernelHref } from '@/features/kernels/address';
import { Button, linkStyle } from '@/ui/button';
import { Chip, FieldError, InputField, SelectField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { keepDraft, keptDraft, readFiles } from './draft';
import { WgslEditor } from './editor';
import { Findings } from './findings';
import { NoContributedWorker } from './no-worker';
import { type Checked, compile, readDraft } from './problems';
import { RunPanel } from './run-panel';
import { draftOf, type KernelForm, kernelRequestSchema, submitKernel } from './submit';

/** A device with why it takes no contributed kernels; null: it does. */
interface TryDevice {
  readonly key: string;
  readonly name: string;
  readonly class: 'gpu' | 'software' | 'browser' | 'cpu';
  readonly why: string | null;
}

interface TryKernelProps {
  /** Of Tilemark. */
  readonly version: string;
  readonly devices: readonly TryDevice[];
  /** A version to begin with. */
  readonly from: {
    readonly id: string;
    readonly source: string;
    readonly manifest?: string;
  } | null;
}

/** How long the reader must pause before the compiler is asked, ms. */
const PAUSE_MS = 400;

/** The control for a field of the sweep. */
const controlOf = (field: string) =>
  (['shapes', 'devices'] as const).find((name) => field.includes(name)) ?? null;

/** Writes a kernel, checks it while it is written, and submits it. Rendered in browsers only. */
export function TryKernel({ devices, from, version }: TryKernelProps) {
  const fileId = useId();
  const able = devices.filter(({ why }) => why === null).map(({ key }) => key);
  const [kept] = useState(() => opening(from));
  // The editor opens with it; what is typed afterwards is the editor's.
  const [opened, setOpened] = useState({ text: kept.source });
  const [guesses, setGuesses] = useState<readonly string[]>([]);
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  const { failure, field, form, isPending, onSubmit } = useRequestForm({
    id: 'try',
    schema: kernelRequestSchema(able),
    defaultValues: { ...kept, devices: kept.devices.filter((key) => able.includes(key)) },
    controlOf,
    send: async (wanted, open) => {
      const made = await submitKernel(wanted);
      if (made.ok) open(kernelHref(made.value));
      return made;
    },
  });
  const [source, manifest, dtype] = useWatch({
    control: form.control,
    name: ['source', 'manifest', 'dtype'],
  });
  useEffect(() => {
    const { unsubscribe } = form.watch(() => keepDraft(form.getValues()));
    return unsubscribe;
  }, [form]);
  const checked = useChecked(source, manifest);
  const [isAsked, setIsAsked] = useState(false);
  const texts = checked.compiled === null ? null : textsOf(checked.kernel, source);
  const dtypes = checked.kernel?.dtypes ?? ['f32'];
  const doesCompile = checked.compiled !== 'no' || checked.kernel === null;

  const begin = (draft: Partial<KernelForm>) => {
    setGuesses([]);
    if (draft.source !== undefined) setOpened({ text: draft.source });
    form.reset({ ...form.getValues(), ...draft });
    keepDraft(form.getValues());
  };
  const refused = (error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    form.setError('root', { message: error.message });
  };
  const open = async (files: readonly File[]) => {
    try {
      const draft = await readFiles(files);
      begin(draft.source === undefined ? draft : { manifest: '', ...draft });
      if (draft.source !== undefined) completeIfBare(draft.source);
    } catch (error) {
      refused(error);
    }
  };
  /** Writes what the manifest leaves out, for the author to look at. */
  const complete = () => {
    try {
      const guessed = guess('my-kernel', draftOf(form.getValues()));
      form.setValue('manifest', JSON.stringify(guessed.manifest, null, 2));
      setGuesses(guessed.open);
    } catch (error) {
      refused(error);
    }
  };
  const completeIfBare = (text: string) => {
    if (!hasManifest(draftOf({ ...form.getValues(), source: text }))) complete();
  };
  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    // The editor would take the file as text.
    event.preventDefault();
    event.stopPropagation();
    void open([...event.dataTransfer.files]);
  };

  return (
    <form
      aria-label="Try a kernel"
      noValidate
      onSubmit={onSubmit}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_19rem]"
    >
      <Section
        id="source"
        title="Kernel"
        actions={
          <>
            <label
              htmlFor={fileId}
              className="inline-flex h-8 cursor-pointer items-center rounded-tile border border-line-strong bg-surface px-3 text-[0.8125rem] font-medium hover:bg-sunken has-focus-visible:outline-2"
            >
              Open files
              <input
                id={fileId}
                type="file"
                accept=".wgsl,.json"
                multiple
                className="sr-only"
                onChange={({ target }) => {
                  void open([...(target.files ?? [])]);
                  target.value = '';
                }}
              />
            </label>
            {idsOf(OPS).map((op) => (
              <Button
                key={op}
                onClick={() =>
                  begin({ source: kernelTemplate(`my-${op}`, op), manifest: '', from: null })
                }
              >
                New {op === 'matmul' ? 'product' : op}
              </Button>
            ))}
          </>
        }
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways to open a file */}
        <div onDragOver={(event) => event.preventDefault()} onDropCapture={drop}>
          <WgslEditor
            initial={opened}
            label="WGSL source"
            describedBy="findings"
            problems={checked.problems}
            goTo={goTo}
            onChange={(text, isPasted) => {
              form.setValue('source', text);
              if (isPasted) completeIfBare(text);
            }}
          />
        </div>
        <Findings checked={checked} onGo={(line) => setGoTo({ line })} />
        <RunPanel version={version} kernel={checked.kernel} wanted={() => form.getValues()} />
        {texts && (
          <details
            className="mt-3 text-[0.8125rem]"
            onToggle={({ currentTarget }) => setIsAsked(currentTarget.open)}
          >
            <summary>Chrome, Firefox, and Safari: what each engine says</summary>
            {isAsked && <LazyEngines texts={texts} />}
          </details>
        )}
        <details
          className="mt-3 text-[0.8125rem]"
          open={manifest !== '' || !hasManifest(draftOf({ source, manifest }))}
        >
          <summary>Manifest in a file of its own</summary>
          <label htmlFor="manifest" className="mt-1 mb-1 block text-xs text-muted">
            JSON; empty if it is the first comment of the source. Both may be dropped together.
          </label>
          {guesses.length > 0 && (
            <ul aria-label="Guesses" className="mb-2 list-disc space-y-1 pl-5 text-amber">
              {guesses.map((what) => (
                <li key={what}>{what}</li>
              ))}
            </ul>
          )}
          <textarea
            id="manifest"
            rows={8}
            spellCheck={false}
            {...form.register('manifest')}
            className="w-full rounded-tile border border-line-strong bg-surface p-2 font-mono text-xs"
          />
          <Button onClick={complete}>Complete from the source</Button>
        </details>
      </Section>
      <div className="max-lg:mt-8 lg:sticky lg:top-6">
        <Section id="where" title="Measure it">
          <Panel className="space-y-4 p-4">
            <fieldset className="min-w-0" aria-describedby="devices-hint">
              <legend className="mb-1 text-xs font-medium">Devices</legend>
              <div className="flex flex-wrap gap-1.5">
                {devices.map(({ class: of, key, name, why }) => (
                  <Chip key={key} {...form.register('devices')} value={key} disabled={why !== null}>
                    <span className="min-w-0 break-words">{name}</span> <ClassBadge of={of} />
                    {why && <span className="text-muted">{why}</span>}
                  </Chip>
                ))}
              </div>
              <p id="devices-hint" className="mt-1 text-xs text-muted">
                {able.length === 0 ? (
                  <NoContributedWorker />
                ) : (
                  'None chosen: every device that runs contributed kernels.'
                )}
              </p>
              <FieldError id="try-devices" error={field('devices').error} />
            </fieldset>
            <InputField
              {...field('shapes')}
              label="Shapes"
              hint={
                <>
                  For example <code>512, 256x128x64</code>, a range <code>256..1024 x2</code>, or
                  the family <code>llm-shapes</code>.
                </>
              }
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
            />
            {dtypes.length > 1 && (
              <SelectField
                id="dtype"
                label="Element type"
                value={dtypes.find((each) => each === dtype) ?? dtypes[0]}
                onChange={({ target }) => form.setValue('dtype', target.value as Dtype)}
                options={dtypes.map((each) => [each, DTYPES[each].words])}
              />
            )}
            <Failure
              why={
                field('source').error ? (
                  <>
                    Not submitted: correct{' '}
                    <a href="#findings" className={linkStyle}>
                      the kernel
                    </a>
                    .
                  </>
                ) : (
                  failure
                )
              }
            />
            <Button type="submit" look="primary" disabled={isPending} className="max-w-full">
              {isPending ? 'Submitting…' : doesCompile ? 'Submit kernel' : 'Submit anyway'}
            </Button>
            {!doesCompile && (
              <p className="text-xs text-muted">
                It does not compile in this browser; a worker’s compiler may differ.
              </p>
            )}
            <p className="text-xs text-muted">
              It is checked first, and runs beside naive and the best of ours. It stays unlisted
              until you publish it. Anybody with its address can read it.
            </p>
          </Panel>
        </Section>
      </div>
    </form>
  );
}

/** What the page opens with: what was typed in this tab, a version, or the template. */
function opening(from: TryKernelProps['from']): KernelForm {
  const kept = keptDraft();
  if (kept && (from === null || kept.from === from.id)) return kept;
  return {
    source: from?.source ?? kernelTemplate('my-matmul'),
    manifest: from?.manifest ?? '',
    shapes: kept?.shapes ?? '512',
    devices: kept?.devices ?? [],
    dtype: kept?.dtype ?? 'f32',
    from: from?.id ?? null,
  };
}

const textsOf = (kernel: GpuKernel | null, source: string) =>
  kernel &&
  ifValid(() => ({
    tint: defaultText({ kernel }, 'tint'),
    naga: defaultText({ kernel }, 'naga'),
    lines: source.split('\n').length,
  }));

const readHere = (source: string, manifest: string): Checked =>
  readDraft(draftOf({ source, manifest }), navigator.gpu !== undefined);

/** What is known of a draft: its manifest and bindings at once, the compiler's word after a pause. */
function useChecked(source: string, manifest: string): Checked {
  const text = useDeferredValue(source);
  const [checked, setChecked] = useState<Checked>(() => readHere(source, manifest));
  useEffect(() => {
    const first = readHere(text, manifest);
    setChecked(first);
    const { kernel } = first;
    if (!kernel || first.compiled !== null) return;
    let isStale = false;
    const timer = setTimeout(async () => {
      const compiled = await compile(kernel, text);
      if (!isStale) setChecked({ kernel, ...compiled });
    }, PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [text, manifest]);
  return checked;
}
