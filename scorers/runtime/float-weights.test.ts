import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inFloat } from './float-weights.ts';
import { fieldsOf, messageOfFields, packedNumbers } from './protobuf.ts';
import { defaultModelsDir } from './registry.ts';
import { CROSS, EMBEDDER } from './testing/models-dir.ts';
import { withWeights } from './testing/onnx.ts';

const shipped = (name: string) => readFileSync(join(defaultModelsDir(), name, 'model.int8.onnx'));
const crossEncoder = shipped(CROSS);

async function run(session: InferenceSession, length: number): Promise<Record<string, number[]>> {
  const tensor = (value: (i: number) => number) =>
    new Tensor(
      'int64',
      BigInt64Array.from({ length }, (_, i) => BigInt(value(i))),
      [1, length],
    );
  const found = await session.run({
    input_ids: tensor((i) => (i === 0 ? 101 : 1_000 + ((i * 7_919) % 20_000))),
    attention_mask: tensor(() => 1),
    token_type_ids: tensor((i) => (i > length / 3 ? 1 : 0)),
  });
  return Object.fromEntries(
    Object.entries(found).map(([name, { data }]) => [name, [...(data as Float32Array)]]),
  );
}

/** The same graph, its zero points 7 and in `int32_data` in place of `raw_data`. */
function withZerosApart(model: Uint8Array): Uint8Array {
  return withWeights(model, (name, tensor) => {
    if (!name.endsWith('.zero')) return tensor;
    const others = [...fieldsOf(tensor)].filter(({ field }) => field !== 9);
    return messageOfFields([...others, { field: 5, wire: 2, value: Uint8Array.of(7) }]);
  });
}

describe('a graph in float of one in int8', () => {
  it.each([CROSS, EMBEDDER])('%s gives nearly the same numbers', async (name) => {
    const small = shipped(name);
    const large = inFloat(small);
    expect(large.length).toBeGreaterThan(3.5 * small.length);
    const [ours, theirs] = await Promise.all([
      InferenceSession.create(large),
      InferenceSession.create(small),
    ]);
    expect(ours.outputNames).toEqual(theirs.outputNames);
    for (const length of [9, 64]) {
      const [a, b] = [await run(ours, length), await run(theirs, length)];
      for (const output of ours.outputNames) {
        // Masked places hold large numbers, which say nothing.
        const pairs = a[output]!.map((x, i) => [x, b[output]![i]!] as const).filter(
          ([x]) => Math.abs(x) < 100,
        );
        const [mean, spread] = [0, 1].map(
          (power) =>
            pairs.reduce((sum, [x, y]) => sum + (power === 0 ? Math.abs(x - y) : Math.abs(x)), 0) /
            pairs.length,
        );
        expect(pairs.length).toBeGreaterThan(0);
        expect(mean!, `${output} of ${length}`).toBeLessThan(0.25 * spread! + 0.1);
        expect(mean).not.toBe(0);
      }
    }
  });

  it('holds each weight as its step times its scale', () => {
    const tensors = (model: Uint8Array) => {
      const graph = [...fieldsOf(model)].find(({ field }) => field === 7)!.value as Uint8Array;
      return new Map(
        [...fieldsOf(graph)]
          .filter(({ field }) => field === 5)
          .map(({ value }) => {
            const fields = new Map(
              [...fieldsOf(value as Uint8Array)].map((each) => [each.field, each.value]),
            );
            return [Buffer.from(fields.get(8) as Uint8Array).toString(), fields.get(9) as Uint8Array];
          }),
      );
    };
    const [before, after] = [tensors(crossEncoder), tensors(inFloat(crossEncoder))];
    const floats = (raw: Uint8Array) => new Float32Array(new Uint8Array(raw).buffer);
    for (const [name, columns, isRow] of [
      ['layers.3.up.weight', 1_536, false],
      ['words', 384, true],
    ] as const) {
      const steps = new Int8Array(new Uint8Array(before.get(`${name}.int8`)!).buffer);
      const scales = floats(before.get(`${name}.scale`)!);
      const weights = floats(after.get(`${name}.int8.float`)!);
      expect(weights).toHaveLength(steps.length);
      for (let i = 0; i < steps.length; i += 977) {
        const scale = scales[isRow ? Math.floor(i / columns) : i % columns]!;
        expect(weights[i]).toBe(Math.fround(steps[i]! * scale));
      }
      expect(after.has(`${name}.int8`) || after.has(`${name}.scale`)).toBe(false);
    }
    expect(Buffer.from(after.get('norm.weight')!).equals(before.get('norm.weight')!)).toBe(true);
  });

  it('is refused for what is in float, damaged, no graph, or int8 of another making', () => {
    const large = inFloat(crossEncoder);
    expect(() => inFloat(large)).toThrow('in float already');
    expect(() => inFloat(crossEncoder.subarray(0, 1_000_000))).toThrow('no ONNX file, or a damaged one');
    expect(() => inFloat(new Uint8Array())).toThrow('no graph');
    // A zero point that is none: other people's int8 has such.
    const other = Buffer.from(crossEncoder);
    const at = other.indexOf('layers.0.q.weight.zero', other.indexOf('layers.0.q.weight.zero') + 30);
    expect(at).toBeGreaterThan(0);
    other.write('layers.0.q.weight.zerO', at);
    expect(() => inFloat(other)).toThrow(/MatMulInteger .* made int8 in another way/);
    expect(() => inFloat(withZerosApart(crossEncoder))).toThrow(/MatMulInteger .* in another way/);
  });
});

describe('protobuf on the wire', () => {
  it('comes back as it was, with what nobody knows', () => {
    const message = Uint8Array.from([
      ...[0x08, 0x96, 0x01],
      ...[0x12, 0x02, 0x68, 0x69],
      ...[0x39, 1, 2, 3, 4, 5, 6, 7, 8],
      ...[0x45, 1, 2, 3, 4],
      ...[0xf8, 0xff, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    ]);
    const fields = [...fieldsOf(message)];
    expect(fields.map(({ field, wire }) => [field, wire])).toEqual([
      [1, 0],
      [2, 2],
      [7, 1],
      [8, 5],
      [8_191, 0],
    ]);
    expect(fields[0]!.value).toBe(150n);
    expect(fields[4]!.value).toBe(2n ** 64n - 1n);
    expect([...messageOfFields(fields)]).toEqual([...message]);
    expect(Buffer.from(messageOfFields([...fieldsOf(crossEncoder)])).equals(crossEncoder)).toBe(true);
  });

  it('reads whole numbers that stand together', () => {
    expect(packedNumbers(Uint8Array.from([0x80, 0x03, 0x07]))).toEqual([384n, 7n]);
    expect(() => packedNumbers(Uint8Array.from([0x80]))).toThrow('damaged');
  });
});
