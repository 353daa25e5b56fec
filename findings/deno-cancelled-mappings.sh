#!/bin/sh
# Deno (npm 2.9.6, whose WebGPU is wgpu) fulfils a mapAsync that was cancelled: after unmap() or destroy()
# while it is pending, WebGPU rejects it with an AbortError, as Dawn does, and Deno says that the
# buffer is mapped. Code that takes the end of the wait for data then fails one step later, in
# getMappedRange, or not at all. Deno also lets one mapped range be taken twice, where WebGPU throws,
# takes requiredLimits that do not exist, and makes several devices of one adapter, which WebGPU uses up.
#
# Runs on SwiftShader of Debian's chromium, unpacked and not installed; the driver decides none of it.
#
# Output seen on 2026-11-30:
#   unmap while pending: fulfilled, then getMappedRange throws OperationError
#   destroy while pending: fulfilled
#   the same range twice: taken
#   an unknown limit: taken
#   a second device of an adapter: made
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts --silent @deno/linux-x64-glibc@2.9.6
apt-get download -qq -o APT::Sandbox::User=root chromium libvulkan1 >/dev/null
for package in *.deb; do dpkg -x "$package" system; done
export LD_LIBRARY_PATH="$folder/system/usr/lib/x86_64-linux-gnu"
export VK_DRIVER_FILES="$folder/system/usr/lib/chromium/vk_swiftshader_icd.json"
cat > run.mjs <<'JS'
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
const readable = () =>
  device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
const nameOf = async (act) => {
  try {
    await act();
    return null;
  } catch ({ name }) {
    return name;
  }
};

async function cancelled(how) {
  const buffer = readable();
  const mapping = buffer.mapAsync(GPUMapMode.READ);
  buffer[how]();
  const rejected = await nameOf(() => mapping);
  if (rejected !== null) return `rejected with ${rejected}`;
  const thrown = how === 'unmap' && (await nameOf(() => buffer.getMappedRange()));
  return `fulfilled${thrown ? `, then getMappedRange throws ${thrown}` : ''}`;
}

const twice = async () => {
  const buffer = readable();
  await buffer.mapAsync(GPUMapMode.READ);
  buffer.getMappedRange();
  buffer.getMappedRange();
};
const said = async (act, words) => (await nameOf(act)) ?? words;
const found = [
  ['unmap while pending', await cancelled('unmap')],
  ['destroy while pending', await cancelled('destroy')],
  ['the same range twice', await said(twice, 'taken')],
  [
    'an unknown limit',
    await said(async () => {
      const other = await navigator.gpu.requestAdapter();
      await other.requestDevice({ requiredLimits: { maxOfSomethingElse: 1 } });
    }, 'taken'),
  ],
  ['a second device of an adapter', await said(() => adapter.requestDevice(), 'made')],
];
for (const [what, end] of found) console.log(`${what}: ${end}`);
const ends = found.map(([, end]) => end.split(',')[0]).join(' ');
Deno.exit(ends === 'fulfilled fulfilled taken taken made' ? 0 : 1);
JS
DENO_NO_UPDATE_CHECK=1 node_modules/@deno/linux-x64-glibc/deno run --quiet --no-lock --allow-all --unstable-webgpu run.mjs
