import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { inexactNodes, processorSums, sumsOver } from './arithmetic.ts';
import { newNode, newTensor, TYPES } from './onnx-graph.ts';
import { sessionOptions } from './session-options.ts';
import { field, graph } from './testing/onnx.ts';

type Create = NonNullable<Parameters<typeof processorSums>[1]>;

/** A processor whose sums come out otherwise: `whole` and `part` of those of this one. */
function processor(
  change: (name: string, values: number, widened: boolean) => number,
  made: boolean[] = [],
): Create {
  return async (model, widened) => {
    made.push(widened);
    const session = await InferenceSession.create(model, sessionOptions('cpu', true));
    return {
      release: () => session.release(),
      run: async (feeds: InferenceSession.OnnxValueMapType, names: string[]) => {
        const found = await session.run(feeds, names);
        return Object.fromEntries(
          Object.entries(found).map(([name, { data, dims, type }]) => {
            const values = Array.from(data as Float32Array, (each) => change(name, each, widened));
            const typed = type === 'int32' ? Int32Array.from(values) : Float32Array.from(values);
            return [name, new Tensor(typed as Float32Array, dims)];
          }),
        );
      },
    } as Awaited<ReturnType<Create>>;
  };
}

const fused = (name: string, value: number): number => (name === 'part' ? 2 ** -24 : value);
const x64 = process.arch === 'x64' ? '' : ` ${process.arch}`;

describe('the sums of a processor', () => {
  it('are exact here, whichever it is', async () => {
    const { arithmetic } = await processorSums();
    expect(arithmetic).toMatch(/^(?:exact|unfused)/);
  });

  it('are left as they are where nothing is cut off', async () => {
    const made: boolean[] = [];
    const sums = await processorSums(undefined, processor(fused, made));
    expect(sums).toEqual({ arithmetic: `exact${x64}`, widened: false });
    expect(made).toEqual([false]);
  });

  it('are taken over unsigned weights where some are cut off', async () => {
    const cut = processor((name, value, widened) =>
      name === 'whole' && !widened ? Math.min(value, 32_767 * 16) : fused(name, value),
    );
    expect(await processorSums(undefined, cut)).toEqual({ arithmetic: `exact${x64}`, widened: true });
    expect(await processorSums(false, cut)).toEqual({ arithmetic: `saturating${x64}`, widened: false });
  });

  it('are said to saturate where that does not help', async () => {
    const cut = processor((name, value) => (name === 'whole' ? value - 1 : fused(name, value)));
    expect(await processorSums(undefined, cut)).toEqual({ arithmetic: `saturating${x64}`, widened: true });
  });

  it('are unfused where products of floats are rounded before they are added', async () => {
    const rounding = processor((name, value) => (name === 'part' ? 0 : value));
    expect(await processorSums(undefined, rounding)).toEqual({ arithmetic: `unfused${x64}`, widened: false });
  });
});

describe('8-bit products that cannot be made exact everywhere', () => {
  const nodes = [newNode('MatMulInteger', ['x', 'w'], ['y']), newNode('__proto__', ['y'], ['z'])];
  const shape = { opset: 17, inputs: {}, outputs: {} };
  const model = (type?: bigint): Uint8Array => {
    const made = graph(nodes, shape);
    if (type === undefined) return made;
    const weights = newTensor('w', type, [1, 1], Uint8Array.of(100));
    return graph(nodes, shape, [field(5, weights.bytes)]);
  };

  it('are those whose second factor is computed', () => {
    expect(inexactNodes(model())).toEqual(['y']);
    expect(inexactNodes(model(TYPES.float))).toEqual(['y']);
    expect(inexactNodes(model(TYPES.int8))).toEqual([]);
    expect(inexactNodes(model(TYPES.uint8))).toEqual([]);
  });

  it('are none of two that are quantised while the model runs, which is unsigned', () => {
    const quantised = newNode('DynamicQuantizeLinear', ['v'], ['w', 'scale', 'zero']);
    expect(inexactNodes(graph([quantised, ...nodes], shape))).toEqual([]);
  });

  it('make the sums of all models those of a processor that cuts off, where it is one', () => {
    const curable = model(TYPES.int8);
    const sums = (arithmetic: 'exact' | 'unfused arm64', widened: boolean, models: Uint8Array[]) =>
      sumsOver(models, { arithmetic, widened });
    expect(sums('exact', true, [curable, curable])).toBe('exact');
    expect(sums('exact', false, [curable, model()])).toBe('exact');
    expect(sums('exact', true, [curable, model()])).toBe('saturating');
    expect(sums('unfused arm64', true, [model()])).toBe('saturating arm64');
  });
});
