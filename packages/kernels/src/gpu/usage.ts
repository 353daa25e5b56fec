/** Bits of `GPUBufferUsage` and `GPUMapMode` (fixed by the WebGPU standard): Node has no such globals. */
export const BufferUsage = {
  MAP_READ: 0x0001,
  COPY_SRC: 0x0004,
  COPY_DST: 0x0008,
  UNIFORM: 0x0040,
  STORAGE: 0x0080,
  QUERY_RESOLVE: 0x0200,
} as const;

/** `GPUMapMode.READ`. */
export const MAP_READ = 0x0001;

/** `GPUShaderStage.COMPUTE`. */
export const STAGE_COMPUTE = 0x4;
