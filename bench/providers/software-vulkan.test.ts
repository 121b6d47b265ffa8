import { expect, test } from 'vitest';
import { softwareVulkan } from './software-vulkan.ts';

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json';
const LAVAPIPE = '/usr/share/vulkan/icd.d/lvp_icd.x86_64.json';

test('the environment chooses first, then SwiftShader, then lavapipe', () => {
  const both = (file: string) => [SWIFTSHADER, LAVAPIPE].includes(file);
  expect(softwareVulkan({ VK_ICD_FILENAMES: '/mine.json' }, both)).toMatchObject({
    files: '/mine.json',
    named: true,
  });
  expect(softwareVulkan({ VK_DRIVER_FILES: '/new.json', VK_ICD_FILENAMES: '/old.json' }, both)?.files).toBe(
    '/new.json',
  );
  expect(softwareVulkan({ VK_ICD_FILENAMES: '' }, both)).toMatchObject({ files: SWIFTSHADER, named: false });
  expect(softwareVulkan({}, (file) => file === LAVAPIPE)?.files).toBe(LAVAPIPE);
  expect(softwareVulkan({}, () => false)).toBeNull();
});
