import {
  type DeviceReport,
  DeviceRunner,
  GridWorker,
  HttpLink,
  type Journal,
  keepRooflines,
  type Log,
  type MeasureInput,
  type MeasureOptions,
  messageOf,
  NotAdmitted,
  type Result,
  type RunClaim,
  type RunOutcome,
  type Step,
  softwareOf,
  type WorkerParts,
} from '@tilemark/core';
import { variantAddress } from '@tilemark/kernels';
import { createStore, del, entries, set } from 'idb-keyval';
import type { OwnersTask } from './browser-device';
import { DeviceThread } from './device-thread';

/** A run that ended in this tab. */
export type EndedHere = Pick<Result, 'runId' | 'address' | 'problem' | 'outcome'>;

/** What the page shows of a tab at work. */
export interface LendingState {
  /** `blocked`: another tab of this browser lends its GPU; `over`: it has left, or had to. */
  readonly phase: 'starting' | 'working' | 'blocked' | 'over';
  readonly deviceKey: string | null;
  readonly run: (Pick<MeasureInput, 'variant' | 'problem'> & { readonly step: Step | null }) | null;
  /** The last first. */
  readonly ended: readonly EndedHere[];
  /** Why it is over. */
  readonly problem: string | null;
  /** The grid does not take its token any more. */
  readonly isRefused: boolean;
}

const SHOWN_RUNS = 50;
const LEAVE_WITHIN_MS = 5_000;

/** Who lends: the token of the browser, which browser it is, and what its owner is called. */
interface Lender {
  readonly token: string;
  readonly instance: string;
  readonly version: string;
  readonly name: string;
  /** What they call the graphics card. */
  readonly card: string;
}

/** A tab at work: the worker that every machine runs, on the GPU of this browser. */
export class Lending {
  readonly #onChange: (state: LendingState) => void;
  #state: LendingState = {
    phase: 'starting',
    deviceKey: null,
    run: null,
    ended: [],
    problem: null,
    isRefused: false,
  };
  readonly #leaving = new AbortController();
  #worker: GridWorker | null = null;
  #isPaused = false;

  constructor(onChange: (state: LendingState) => void) {
    this.#onChange = onChange;
  }

  /** Works until it leaves, is told to by the grid, or has lost its GPU for good. Never throws. */
  async work(given: Lender): Promise<void> {
    // One tab per browser: two would measure each other.
    await navigator.locks.request('tilemark-join', { ifAvailable: true }, async (lock) => {
      if (!lock) return this.#set({ phase: 'blocked' });
      await this.#work(given).catch((error: unknown) => {
        const isRefused = error instanceof NotAdmitted;
        this.#set({ phase: 'over', run: null, problem: messageOf(error), isRefused });
      });
    });
  }

  /** Gives its run back and takes no other until it is told to go on. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#worker?.pause(isPaused);
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** The tab is being closed. */
  abandon(): void {
    this.#worker?.abandon();
  }

  #set(change: Partial<LendingState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange(this.#state);
  }

  async #work({ card, token, instance, version, name }: Lender) {
    const link = new HttpLink({ server: new URL(location.origin), token });
    const runner = new ShownRunner({ version, card }, (change) => this.#set(change));
    runner.onEnded = (run) =>
      this.#set({ ended: [run, ...this.#state.ended].slice(0, SHOWN_RUNS) });
    const alone: WorkerParts['alone'] = (work, signal) =>
      navigator.locks.request('tilemark-gpu', { signal }, work);
    const { signal } = this.#leaving;
    try {
      const attached = await GridWorker.attach({
        link,
        runner,
        log,
        alone,
        journal: new TabJournal(),
        describe: ({ identity, capabilities, environment }) => ({
          identity,
          capabilities,
          software: softwareOf(environment),
          version,
          instance,
          host: 'browser',
          name: `${name || identity.device}: ${identity.runtime}`,
        }),
        finishWithinMs: LEAVE_WITHIN_MS,
      });
      const { worker } = attached;
      this.#worker = worker;
      worker.pause(this.#isPaused);
      this.#set({ phase: 'working', deviceKey: attached.deviceKey });
      const left = new Promise<null>((resolve) => {
        if (signal.aborted) resolve(null);
        signal.addEventListener('abort', () => resolve(null));
      });
      const surveying = keepRooflines(
        // A page cannot see what else its machine does.
        { link, runner, log, alone, machineLoad: () => 0 },
        { ...attached, signal },
      );
      const why = await Promise.race([left, worker.gone]);
      this.#leaving.abort();
      await worker.stop();
      await surveying;
      if (why) throw why;
      this.#set({ phase: 'over', run: null });
    } finally {
      this.#worker = null;
      await Promise.all([runner.close(), link.close()]);
    }
  }
}

/** A runner that tells what it does. */
class ShownRunner extends DeviceRunner {
  readonly #show: (change: Pick<LendingState, 'run'>) => void;
  onEnded: (run: EndedHere) => void = () => {};

  constructor(
    browser: Pick<OwnersTask, 'version' | 'card'>,
    show: (change: Pick<LendingState, 'run'>) => void,
  ) {
    super((profile) => new DeviceThread({ profile, ...browser }));
    this.#show = show;
  }

  override async run(input: RunClaim, options: MeasureOptions = {}): Promise<DeviceReport> {
    const { id, variant, problem } = input;
    const show = (step: Step | null) => this.#show({ run: { variant, problem, step } });
    show(null);
    try {
      const onStep = (step: Step) => {
        show(step);
        options.onStep?.(step);
      };
      const report = await super.run(input, { ...options, onStep });
      this.onEnded({
        runId: id,
        address: variantAddress(variant),
        problem,
        outcome: report.outcome,
      });
      return report;
    } finally {
      this.#show({ run: null });
    }
  }
}

/** The journal of a browser, in IndexedDB: it outlives the tab. */
class TabJournal implements Journal {
  readonly #kept = createStore('tilemark-journal', 'pending');
  readonly #refused = createStore('tilemark-refused', 'refused');

  append = (record: RunOutcome) => set(record.runId, record, this.#kept);
  strike = (runId: string) => del(runId, this.#kept);

  async setAside(runId: string): Promise<void> {
    const record = (await this.pending()).find((each) => each.runId === runId);
    if (record) await set(runId, record, this.#refused);
    await this.strike(runId);
  }

  async pending(): Promise<RunOutcome[]> {
    const all = await entries<string, RunOutcome>(this.#kept);
    return all.map(([, record]) => record).sort((a, b) => a.endedAt.localeCompare(b.endedAt));
  }
}

const silent = () => {};
/** The page shows what a person can act on. */
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };
