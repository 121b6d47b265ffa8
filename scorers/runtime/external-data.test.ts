import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { scratch } from '../hub/testing/scratch.ts';
import { keepsDataOutside } from './external-data.ts';
import { defaultModelsDir, readLock } from './registry.ts';
import { field, message, sum, tensor } from './testing/onnx.ts';

const inside = tensor({ inside: [1, 2, 3, 4] });
const outside = tensor({ file: 'secret.bin' });

describe('data outside of the file', () => {
  it.each<[string, Buffer]>([
    ['an initialiser', sum(outside)],
    ['an initialiser, its fields in another order', sum(tensor({ file: 'secret.bin', reversed: true }))],
    [
      'a length in more bytes than it needs',
      sum(message(inside, Buffer.from([0x6a, 0x80, 0x00]), field(14, 1))),
    ],
    ['a location alone', sum(message(inside, field(14, 1)))],
    ['a table alone', sum(message(inside, field(13, field(1, 'location'))))],
    ['a later initialiser', sum(inside, [field(5, outside)])],
    ['a sparse initialiser', sum(inside, [field(15, field(1, outside))])],
    ['indices of a sparse one', sum(inside, [field(15, field(2, outside))])],
    ['a constant', sum(inside, [field(1, field(5, field(5, outside)))])],
    ['one of several constants', sum(inside, [field(1, field(5, field(10, outside)))])],
    ['the body of a loop', sum(inside, [field(1, field(5, field(6, field(5, outside))))])],
    ['a function', sum(inside, [], [field(25, field(7, field(5, field(5, outside))))])],
    ['the default of a function', sum(inside, [], [field(25, field(11, field(5, outside)))])],
    ['training', sum(inside, [], [field(20, field(1, field(5, outside)))])],
  ])('is seen in %s', (_, bytes) => {
    expect(keepsDataOutside(bytes)).toBe(true);
  });

  it('is not seen where there is none', async () => {
    expect(keepsDataOutside(sum(inside))).toBe(false);
    expect(keepsDataOutside(sum(message(inside, field(14, 0))))).toBe(false);
    const dir = defaultModelsDir();
    for (const model of Object.values((await readLock(dir)).models)) {
      if (model.hub === undefined)
        expect(keepsDataOutside(readFileSync(join(dir, model.weights.path)))).toBe(false);
    }
  });

  it.each([
    ['a page', Buffer.from('<html>not found</html>')],
    ['a cut', sum(inside).subarray(0, 60)],
    // For the runtime this is `data_location`: it keeps 32 bits of a tag.
    ['a field number beyond 32 bits', sum(message(inside, field(14 + 2 ** 29, 1)))],
    ['a number without end', Buffer.alloc(20, 0xff)],
  ])('cannot be told of %s', (_, bytes) => {
    expect(() => keepsDataOutside(bytes)).toThrow('no ONNX file');
  });

  it('would be read by the runtime, which is why this is looked at', async () => {
    const folder = scratch();
    const before = process.cwd();
    process.chdir(folder);
    try {
      writeFileSync('secret.bin', new Uint8Array(Float32Array.of(5, 6, 7, 8).buffer));
      const model = sum(tensor({ file: 'secret.bin', reversed: true }));
      const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
      const { y } = await session.run({ x: new Tensor('float32', new Float32Array(4), [4]) });
      expect([...(y!.data as Float32Array)]).toEqual([5, 6, 7, 8]);
    } finally {
      process.chdir(before);
    }
  });
});
