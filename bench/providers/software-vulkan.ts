import { existsSync } from 'node:fs';

/** Where packages put the description of a Vulkan driver that computes on the CPU. */
const DRIVERS = [
  { file: '/usr/lib/chromium/vk_swiftshader_icd.json', name: 'SwiftShader (Debian: chromium-common)' },
  { file: '/usr/lib/chromium-browser/vk_swiftshader_icd.json', name: 'SwiftShader (Chromium)' },
  { file: '/opt/google/chrome/vk_swiftshader_icd.json', name: 'SwiftShader (Chrome)' },
  { file: '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json', name: 'lavapipe (Debian: mesa-vulkan-drivers)' },
  { file: '/usr/share/vulkan/icd.d/lvp_icd.json', name: 'lavapipe (Mesa)' },
] as const;

/** What WebGPU needs where there is no graphics card. Nothing is ever installed from here. */
export const WHAT_IT_NEEDS = `WebGPU needs the Vulkan loader and a Vulkan driver. Without a graphics card a driver in software does:
  Debian, Ubuntu:  apt-get install libvulkan1 chromium-common      (SwiftShader)
  without installing Chromium:
    apt-get install libvulkan1 && apt-get download chromium-common && dpkg -x chromium-common_*.deb swiftshader
    VK_ICD_FILENAMES=$PWD/swiftshader/usr/lib/chromium/vk_swiftshader_icd.json npm run webgpu
lavapipe (mesa-vulkan-drivers) is used where it is found; that of Debian 12 (Mesa 22.3) is too old for it.`;

/**
 * The driver that is to be used: what the environment names, else the first one found in software; null when there is
 * none. `named`: the environment's own choice, which is left alone.
 */
export function softwareVulkan(
  environment: Readonly<Record<string, string | undefined>>,
  isThere: (file: string) => boolean = existsSync,
): { files: string; name: string; named: boolean } | null {
  const named = environment.VK_DRIVER_FILES ?? environment.VK_ICD_FILENAMES;
  if (named !== undefined && named !== '')
    return { files: named, name: 'named by the environment', named: true };
  const found = DRIVERS.find(({ file }) => isThere(file));
  return found === undefined ? null : { files: found.file, name: found.name, named: false };
}
