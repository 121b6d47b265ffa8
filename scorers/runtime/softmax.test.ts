import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import { loadModels } from './load.ts';
import { graphIn, newNode } from './onnx-graph.ts';
import { fieldsOf } from './protobuf.ts';
import { defaultModelsDir } from './registry.ts';
import { softmaxWrittenOut } from './softmax.ts';
import { CROSS, EMBEDDER } from './testing/models-dir.ts';
import { field, graph, message } from './testing/onnx.ts';

const [ROWS, WIDTH] = [3, 11];
const given = Float32Array.from({ length: ROWS * WIDTH }, (_, i) => ((i * 37) % 23) - 11);
const values = Float32Array.from({ length: WIDTH * 2 }, (_, i) => (i % 7) / 7);

/** Softmax by its formula, in double precision. */
function shares(): number[] {
  return Array.from({ length: ROWS }, (_, row) => {
    const exps = Array.from(given.subarray(row * WIDTH, (row + 1) * WIDTH), Math.exp);
    const sum = exps.reduce((a, b) => a + b, 0);
    return exps.map((value) => value / sum);
  }).flat();
}

function products(): number[] {
  const all = shares();
  return Array.from({ length: ROWS * 2 }, (_, i) => {
    const [row, column] = [Math.floor(i / 2), i % 2];
    let sum = 0;
    for (let k = 0; k < WIDTH; k += 1) sum += all[row * WIDTH + k]! * values[2 * k + column]!;
    return sum;
  });
}

const softmax = newNode('Softmax', ['x'], ['s']);
const product = newNode('MatMul', ['s', 'v'], ['y']);
const inputs = { x: [ROWS, WIDTH], v: [WIDTH, 2] };

async function run(model: Uint8Array): Promise<Record<string, number[]>> {
  const session = await InferenceSession.create(model, { logSeverityLevel: 4 });
  const feeds = {
    x: new Tensor('float32', given, [ROWS, WIDTH]),
    v: new Tensor('float32', values, [WIDTH, 2]),
  };
  const found = await session.run(feeds);
  await session.release();
  return Object.fromEntries(
    Object.entries(found).map(([name, { data }]) => [name, [...(data as Float32Array)]]),
  );
}

const typesOf = (model: Uint8Array): string[] => graphIn(model).nodes.map(({ type }) => type);

describe.each([13, 17, 18, 20])('a softmax written out, operators of version %i', (opset) => {
  it('gives what the formula gives, the product divided once', async () => {
    const model = graph([softmax, product], { opset, inputs, outputs: { y: [ROWS, 2] } });
    const made = softmaxWrittenOut(model);
    expect(typesOf(made)).toEqual(['ReduceMax', 'Sub', 'Exp', 'ReduceSum', 'MatMul', 'Div']);
    const { y } = await run(made);
    products().forEach((value, i) => {
      expect(y![i]).toBeCloseTo(value, 5);
    });
  });

  it('keeps the shares where somebody else takes them', async () => {
    const outputs = { s: [ROWS, WIDTH], y: [ROWS, 2] };
    const made = softmaxWrittenOut(graph([softmax, product], { opset, inputs, outputs }));
    const { s, y } = await run(made);
    shares().forEach((value, i) => {
      expect(s![i]).toBeCloseTo(value, 6);
    });
    products().forEach((value, i) => {
      expect(y![i]).toBeCloseTo(value, 5);
    });
  });
});

describe('what is left as it is', () => {
  const axis = [...fieldsOf(field(5, message(field(1, 'axis'), field(3, 0), field(20, 2))))];
  const outputs = { y: [ROWS, 2] };

  it.each([
    ['a softmax over another axis', [newNode('Softmax', ['x'], ['s'], axis), product], 17],
    ['one of before version 13, which is about all axes', [softmax, product], 12],
    ['a graph without one', [newNode('Identity', ['x'], ['s']), product], 17],
  ])('%s', (_, nodes, opset) => {
    const model = graph(nodes, { opset, inputs, outputs });
    expect(softmaxWrittenOut(model)).toBe(model);
  });

  it('is said to be no ONNX file where it is none', () => {
    expect(() => softmaxWrittenOut(Buffer.from('no model'))).toThrow();
  });
});

it.each([CROSS, EMBEDDER])('%s has no softmax left, and its weights', (name) => {
  const model = readFileSync(join(defaultModelsDir(), name, 'model.int8.onnx'));
  const made = graphIn(softmaxWrittenOut(model));
  const before = graphIn(model);
  expect(made.nodes.filter(({ type }) => type === 'Softmax')).toEqual([]);
  const kept = made.tensors.slice(0, -1);
  expect(kept.map(({ name: own }) => own)).toEqual(before.tensors.map(({ name: own }) => own));
  expect(kept.every(({ bytes }, i) => Buffer.compare(bytes, before.tensors[i]!.bytes) === 0)).toBe(true);
  expect(made.outputs).toEqual(before.outputs);
});

it('is left to the runtime where a measurement wants that, under another identity', async () => {
  const load = (run?: 1 | 2) => loadModels(defaultModelsDir(), ['embed'], {}, run);
  const [[left], [written], [usual]] = await Promise.all([load(1), load(2), load()]);
  const kinds = ({ graphs }: typeof left & object) =>
    graphIn(graphs[0].weights).nodes.map(({ type }) => type);
  expect(kinds(left!)).toContain('Softmax');
  expect(kinds(written!)).not.toContain('Softmax');
  expect(usual!.identity).toBe(written!.identity);
  expect(left!.identity).not.toBe(written!.identity);
});
