/** Shown where Dawn finds nothing to run on. */
export const NO_ADAPTER =
  'No GPU found. Install a Vulkan driver (NVIDIA: the driver with its Vulkan files; AMD, Intel or no GPU: mesa-vulkan-drivers 25 or newer).';
