/** The benchmark domain, folder by folder: everything that the apps, the store and a browser share. */

export * from './api/api';
export {
  classCsv,
  csvTable,
  kindsOf,
  leaderboardCsv,
  portabilityCsv,
  type ResultKinds,
  resultTable,
} from './api/csv';
export * from './api/metrics';
export * from './api/run';
export { REQUIREMENTS_SNIPPET, RUN_SNIPPET } from './api/run-snippet';
export { type Tile, tileOf } from './api/tile';
export { HttpLink } from './link/http-link';
export * from './link/link';
export { answerOf, Site } from './link/site';
export * from './link/wire';
export { bufferSetsFor, longDispatch, MAX_BUFFER_SETS, workingSetOf } from './measure/calibrate';
export * from './measure/device';
export * from './measure/duel';
export * from './measure/energy';
export * from './measure/hardware';
export * from './measure/measure';
export * from './measure/outcome';
export * from './measure/policy';
export * from './measure/roofline';
export { drawSeed, seedSchema } from './measure/seed';
export { statedRates } from './measure/stated-rates';
export * from './measure/stopping';
export type { ClockReading } from './measure/throttle';
export * from './measure/trust';
export * from './plan/counts';
export * from './plan/expansion';
export * from './plan/families';
export * from './plan/occupancy';
export { SHAPE_SUITES } from './plan/shape-suites';
export { parseShapes } from './plan/shapes';
export * from './plan/spec';
export { submissionOf } from './plan/submission';
export * from './rank/head-to-head';
export * from './rank/headline';
export * from './rank/nearest';
export * from './rank/portability';
export * from './rank/rank';
export {
  bestOfEach,
  referencesOn,
} from './reference/reference';
export { MAXIMA, pauses } from './schema/maxima';
export * from './schema/op';
export { refusalOf } from './schema/refusals';
export * from './statistics/interval-name';
export * from './statistics/median';
export * from './statistics/summary';
export * from './statistics/verdict';
export type { Suite } from './suites/suite';
export * from './suites/suites';
export { answerFor, type BestRow, expectationOf, shippedOf } from './tune/best';
export { BEST_FILES, BEST_FORMS, type BestForm, bestFile, bestFileName } from './tune/best-files';
export { oneFor, oneText } from './tune/best-one';
export { memoryText, remarkOf, sourceOf } from './tune/best-words';
export { candidatesFor } from './tune/candidates';
export { compilesAhead, SearchDriver } from './tune/driver';
export * from './tune/evidence';
export * from './tune/family-search';
export { type Gpu, gpuOf, knownGpus } from './tune/gpus';
export {
  contrastOfDuel,
  type Decided,
  medianNs,
  searchProblem,
  type Trial,
  type Tuned,
} from './tune/problem-search';
export * from './tune/protocol';
export * from './tune/request';
export { searchOf } from './tune/search';
export { type Beside, nearestToBest, type Prediction, Selector } from './tune/selector';
export {
  learnedFrom,
  shippedBeside,
  shippedDevices,
  shippedEvidence,
  shippedFor,
} from './tune/shipped-evidence';
export { type Point, TuningSpace } from './tune/space';
export { type Searched, searchedKernels, spacesOf } from './tune/spaces';
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
