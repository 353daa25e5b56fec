/** The benchmark domain, folder by folder: everything that the apps, the store and a browser share. */

export { type Draft as ManifestDraft, draftOf } from './contributed/draft';
export {
  admitKernel,
  checkKernel,
  readKernel,
} from './contributed/kernel';
export { type Contributed, fileOf, isContributed } from './contributed/known';
export * from './contributed/manifest';
export { requirementsOfShape, roundedUp } from './contributed/names';
export { kernelTemplate } from './contributed/template';
export { HttpLink } from './link/http-link';
export * from './link/link';
export { answerOf, Site } from './link/site';
export * from './link/wire';
export { bufferSetsFor, longDispatch, MAX_BUFFER_SETS, setBytes } from './measure/calibrate';
export type { Clock } from './measure/clock';
export { dataSheetPeak, type PeakShare, peakShare } from './measure/data-sheet';
export * from './measure/device';
export * from './measure/duel';
export * from './measure/energy';
export * from './measure/measure';
export * from './measure/outcome';
export * from './measure/policy';
export { statedRates } from './measure/proved-rates';
export * from './measure/roofline';
export { drawSeed, seedSchema } from './measure/seed';
export * from './measure/stopping';
export type { ClockReading } from './measure/throttle';
export * from './measure/trust';
export * from './plan/counts';
export * from './plan/expansion';
export * from './plan/families';
export * from './plan/occupancy';
export * from './plan/shapes';
export * from './plan/spec';
export { submissionOf } from './plan/submission';
export * from './rank/fastest';
export * from './rank/head-to-head';
export * from './rank/headline';
export * from './rank/nearest';
export * from './rank/portability';
export * from './rank/rank';
export { referenceFileSchema } from './reference/figures';
export {
  besideKernel,
  bestOfEach,
  bestOfKernels,
  librariesOn,
  shippedReference,
} from './reference/reference';
export { type T4Options, t4Figures, t4FileSchema, t4Of } from './reference/t4';
export { MAXIMA, pauses } from './schema/maxima';
export * from './schema/op';
export { refusalOf } from './schema/refusals';
export * from './statistics/interval-name';
export * from './statistics/median';
export * from './statistics/summary';
export * from './statistics/verdict';
export type { Suite } from './suites/suite';
export * from './suites/suites';
export * from './tune/asking';
export { candidatesFor } from './tune/candidates';
export { Climb } from './tune/climb';
export * from './tune/evidence';
export * from './tune/family-search';
export * from './tune/family-tuning';
export {
  type Decided,
  medianNs,
  proved,
  searchProblem,
  type Trial,
  type Tuned,
} from './tune/problem-search';
export * from './tune/problem-tuning';
export * from './tune/replay';
export {
  type Beside,
  leaveDeviceOut,
  leaveOneShapeOut,
  type Prediction,
  type Regret,
  Selector,
} from './tune/selector';
export { learnedFrom, shippedBeside, shippedEvidence, shippedFor } from './tune/shipped-evidence';
export { type Point, TuningSpace } from './tune/space';
export { type Searched, searchedKernels, spacesOf } from './tune/spaces';
export * from './view/api';
export {
  csvTable,
  heatMapCsv,
  kindsOf,
  leaderboardCsv,
  portabilityCsv,
  type ResultKinds,
  resultTable,
  tunedShapesCsv,
} from './view/csv';
export * from './view/metrics';
export * from './view/run';
export { RUN_SNIPPET } from './view/run-snippet';
export { DeviceOwner, type OwnerChannel } from './worker/device-owner';
export { requestWholeDevice } from './worker/gpu-device';
export { type Log, messageOf } from './worker/log';
export type { Journal } from './worker/outbox';
export { ownDevice } from './worker/own-device';
export type { WorkerParts } from './worker/parts';
export * from './worker/protocol';
export { keepRooflines } from './worker/rooflines';
export * from './worker/runner';
export { doneWithin, retryForever } from './worker/waiting';
export * from './worker/worker';
