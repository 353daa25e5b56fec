import { create } from 'webgpu';

/** Prints the name of the adapter that Dawn would use, or nothing if it finds none. */
const gpu = create([]);
const adapter = await gpu.requestAdapter();
if (adapter) console.log(adapter.info.device || adapter.info.description);
