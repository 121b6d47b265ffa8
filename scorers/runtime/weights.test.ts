import { expect, test } from 'vitest';
import { refuseExternalData } from './weights.ts';

test.each([
  [true, 'pull the model again'],
  [false, 'install the package anew'],
])('what is no graph is mended where it came from (cached: %s)', (isCached, hint) => {
  const file = { path: 'model.onnx', bytes: undefined, sha256: '', isCached };
  expect(() => refuseExternalData(file, Buffer.from('<html>not found</html>'))).toThrow(
    expect.objectContaining({ code: 'MODEL_UNUSABLE', hint: expect.stringContaining(hint) }),
  );
});
