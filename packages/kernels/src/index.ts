export * from './bindings';
export * from './bytes';
export * from './combinations';
export * from './dtype';
export * from './errors';
export * from './executor';
export * from './feasible';
export { createGpuExecutor } from './gpu/executor';
export { choosesSize, SIZE_CONTROL, subgroupSizes } from './gpu/subgroup-size';
export { createHostExecutor } from './host/executor';
export { type HostJob, type HostPool, runHostJob } from './host/job';
export * from './kernel';
export type { MatmulShape } from './matmul/op';
export { asStored } from './matmul/stored';
export { didYouMean } from './near';
export { ceilDiv, hash32, type Rows } from './numbers';
export * from './op';
export * from './ops';
export type { Probe, ProbeRequest } from './probe/probe';
export * from './problem';
export * from './registry';
export * from './scalar';
export * from './shape';
export * from './specialise';
export * from './storage';
export * from './tensors';
export type { Sample } from './timing';
export type { TransposeShape } from './transpose/op';
export * from './variant';
export type { Comparison, WorstElement } from './verify/compare';
export {
  type InputChoice,
  type InputMode,
  inputTensors,
  seedOfSet,
  storedBytes,
} from './verify/inputs';
export type { PoisonKind } from './verify/poison';
export type { OutputCheck, Verdict, VerifyMethod } from './verify/verification';
export * from './verify/verify';
