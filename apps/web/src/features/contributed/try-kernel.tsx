'use client';

import { kernelTemplate } from '@tilemark/core';
import { DTYPES, type Dtype, InputError } from '@tilemark/kernels';
import { useRouter } from 'next/navigation';
import { type DragEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { ClassBadge } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { Button, linkStyle } from '@/ui/button';
import { Chip, FieldError, InputField, SelectField } from '@/ui/field';
import { Failure } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { type Kept, keepDraft, keptDraft, readFiles } from './draft';
import { WgslEditor } from './editor';
import { Findings } from './findings';
import { NoContributedWorker } from './no-worker';
import { type Checked, compile, type Draft, type Problem, problemAt, read } from './problems';
import { shapesIn, submitKernel } from './submit';

/** A device with why it takes no contributed kernels; null: it does. */
interface TryDevice {
  readonly key: string;
  readonly name: string;
  readonly class: 'gpu' | 'software' | 'browser' | 'cpu';
  readonly why: string | null;
}

export interface TryKernelProps {
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

type Refusals = Partial<Record<'shapes' | 'devices' | 'form', string>> & {
  /** Below the editor stands what is wrong with the kernel. */
  readonly findings?: boolean;
};

/** Writes a kernel, checks it while it is written, and submits it. Rendered in browsers only. */
export function TryKernel({ devices, from }: TryKernelProps) {
  const router = useRouter();
  const fileId = useId();
  const [draft, setDraft] = useState<Kept>(() => opening(from));
  // The editor opens with it; what is typed afterwards is the editor's.
  const [opened, setOpened] = useState({ text: draft.source });
  const [dtype, setDtype] = useState<Dtype | null>(null);
  const [refused, setRefused] = useState<Refusals>({});
  const [sent, setSent] = useState<Problem | null>(null);
  const [isSubmitting, setSubmitting] = useState(false);
  const [goTo, setGoTo] = useState<{ line: number } | null>(null);
  const checked = useChecked(draft);
  const problems = sent ? [sent, ...checked.problems] : checked.problems;
  const chosen = draft.devices.filter((key) => devices.some((of) => of.key === key && !of.why));
  const able = devices.filter(({ why }) => why === null).map(({ key }) => key);
  const dtypes = checked.kernel?.dtypes ?? ['f32'];
  const doesCompile = checked.compiled !== 'no' || checked.kernel === null;

  const change = (part: Partial<Kept>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    setSent(null);
    keepDraft(next);
  };
  const open = async (files: readonly File[]) => {
    try {
      const { manifest, source } = await readFiles(files);
      if (source !== undefined) setOpened({ text: source });
      const kept = manifest !== undefined || source === undefined ? {} : { manifest: undefined };
      change({ ...kept, ...(source !== undefined && { source }), ...(manifest && { manifest }) });
      setRefused({});
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      setRefused({ form: error.message });
    }
  };
  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    // The editor would take the file as text.
    event.preventDefault();
    event.stopPropagation();
    void open([...event.dataTransfer.files]);
  };

  const submit = async () => {
    setRefused({});
    const { kernel, problems } = read(draft);
    if (!kernel) {
      const [first] = problems;
      if (first?.line) setGoTo({ line: first.line });
      return setRefused({ findings: true });
    }
    try {
      const shapes = shapesIn(kernel.op, draft.shapes);
      if (shapes.length === 0) throw new InputError('Enter at least one shape.', 'shapes');
      setSubmitting(true);
      const { source, manifest } = draft;
      const answer = await submitKernel({
        kernel,
        shapes,
        chosen,
        able,
        draft: { source, ...(manifest && { manifest }) },
        dtype: dtype && kernel.dtypes.includes(dtype) ? dtype : (kernel.dtypes[0] ?? 'f32'),
      });
      if (answer.ok) return router.push(kernelHref(answer.value));
      refuse(answer.message, answer.field);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      refuse(error.message, error.field);
    }
    setSubmitting(false);
  };
  const refuse = (message: string, field: string | null) => {
    if (field && /^(wgsl|manifest)/.test(field)) {
      setSent(problemAt(field, message, draft));
      return setRefused({ findings: true });
    }
    if (field && /shapes/.test(field)) return setRefused({ shapes: message });
    if (field && /devices/.test(field)) return setRefused({ devices: message });
    setRefused({ form: `Not submitted: ${message}` });
  };

  return (
    <form
      aria-label="Try a kernel"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
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
            <Button
              onClick={() => {
                const source = kernelTemplate('my-matmul');
                setOpened({ text: source });
                change({ source, manifest: undefined, from: null });
              }}
            >
              Template
            </Button>
          </>
        }
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of three ways to open a file */}
        <div onDragOver={(event) => event.preventDefault()} onDropCapture={drop}>
          <WgslEditor
            initial={opened}
            label="WGSL source"
            describedBy="findings"
            {...{ problems, goTo }}
            onChange={(source) => change({ source })}
          />
        </div>
        <Findings checked={{ ...checked, problems }} onGo={(line) => setGoTo({ line })} />
        <details className="mt-3 text-[0.8125rem]" open={draft.manifest !== undefined}>
          <summary>Manifest in a file of its own</summary>
          <label htmlFor="manifest" className="mt-1 mb-1 block text-xs text-muted">
            JSON; empty if it is the first comment of the source. Both may be dropped together.
          </label>
          <textarea
            id="manifest"
            rows={8}
            spellCheck={false}
            value={draft.manifest ?? ''}
            onChange={({ target }) => change({ manifest: target.value || undefined })}
            className="w-full rounded-tile border border-line-strong bg-surface p-2 font-mono text-xs"
          />
        </details>
      </Section>
      <div className="max-lg:mt-8 lg:sticky lg:top-6">
        <Section id="where" title="Measure it">
          <Panel className="space-y-4 p-4">
            <fieldset className="min-w-0" aria-describedby="devices-hint">
              <legend className="mb-1 text-xs font-medium">Devices</legend>
              <div className="flex flex-wrap gap-1.5">
                {devices.map(({ class: of, key, name, why }) => (
                  <Chip
                    key={key}
                    disabled={why !== null}
                    checked={chosen.includes(key)}
                    onChange={({ target }) =>
                      change({
                        devices: target.checked
                          ? [...chosen, key]
                          : chosen.filter((each) => each !== key),
                      })
                    }
                  >
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
              <FieldError id="devices" error={refused.devices} isAlert />
            </fieldset>
            <InputField
              id="shapes"
              label="Shapes"
              hint={
                <>
                  For example <code>512, 256x128x64</code>, a range <code>256..1024 x2</code>, or
                  the family <code>llm-shapes</code>.
                </>
              }
              error={refused.shapes}
              isAlert
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              value={draft.shapes}
              onChange={({ target }) => change({ shapes: target.value })}
            />
            {dtypes.length > 1 && (
              <SelectField
                id="dtype"
                label="Element type"
                value={dtype ?? dtypes[0]}
                onChange={({ target }) => setDtype(target.value as Dtype)}
                options={dtypes.map((each) => [each, DTYPES[each].words])}
              />
            )}
            <Failure
              why={
                refused.findings ? (
                  <>
                    Not submitted: correct{' '}
                    <a href="#findings" className={linkStyle}>
                      the kernel
                    </a>
                    .
                  </>
                ) : (
                  refused.form
                )
              }
            />
            <Button type="submit" look="primary" disabled={isSubmitting} className="max-w-full">
              {isSubmitting ? 'Submitting…' : doesCompile ? 'Submit kernel' : 'Submit anyway'}
            </Button>
            {!doesCompile && (
              <p className="text-xs text-muted">
                It does not compile in this browser; a worker’s compiler may differ.
              </p>
            )}
            <p className="text-xs text-muted">
              It runs beside naive and the best of ours, and stays unlisted until you publish it.
              Anybody with its address can read it.
            </p>
          </Panel>
        </Section>
      </div>
    </form>
  );
}

/** What the page opens with: what was typed in this tab, a version, or the template. */
function opening(from: TryKernelProps['from']): Kept {
  const kept = keptDraft();
  if (kept && (from === null || kept.from === from.id)) return kept;
  return {
    source: from?.source ?? kernelTemplate('my-matmul'),
    ...(from?.manifest !== undefined && { manifest: from.manifest }),
    shapes: kept?.shapes ?? '512',
    devices: kept?.devices ?? [],
    from: from?.id ?? null,
  };
}

const readHere = (draft: Draft): Checked => read(draft, navigator.gpu !== undefined);

/** What is known of a draft: its manifest and bindings at once, the compiler's word after a pause. */
function useChecked({ source, manifest }: Kept): Checked {
  const text = useDeferredValue(source);
  const [checked, setChecked] = useState<Checked>(() => readHere({ source, manifest }));
  useEffect(() => {
    const first = readHere({ source: text, manifest });
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
