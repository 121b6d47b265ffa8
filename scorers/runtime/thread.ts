/** An inference thread: owns one session a model and answers batches one after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { env, InferenceSession, Tensor } from 'onnxruntime-node';
import { messageOf } from '../../common/index.ts';
import { type ProcessorSums, processorSums } from './arithmetic.ts';
import type { BatchRequest, FromThread, ThreadModel, ThreadSetup, ToThread } from './protocol.ts';
import { sessionOptions } from './session-options.ts';

// Failures come back as errors; the runtime's own lines on standard error would say them twice.
env.logLevel = 'fatal';

const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'] as const;

interface Loaded {
  model: ThreadModel;
  session: InferenceSession;
}

const port = parentPort!;
const setup = workerData as ThreadSetup;
const loaded = new Map<string, Loaded>();
/** Milliseconds inside the runtime, of the batch under way. */
let insideMs = 0;

function send(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

/** ES2024, in Node since 20; not yet in the types of the language level used here. */
type Resizable = ArrayBuffer & { resize(size: number): void };

function resizableCopy(source: Uint8Array): { bytes: Uint8Array; free(): void } {
  const size = source.length;
  const buffer: Resizable = Reflect.construct(ArrayBuffer, [size, { maxByteLength: size }]);
  const bytes = new Uint8Array(buffer);
  bytes.set(source);
  return { bytes, free: () => buffer.resize(0) };
}

async function load(model: ThreadModel, widened: boolean): Promise<void> {
  // The runtime takes no shared memory and copies what it is given: lend it a copy and free that at once, instead
  // of leaving as much again as the model's size to a garbage collector that sees no need.
  const lent = resizableCopy(model.weights);
  const session = await InferenceSession.create(lent.bytes, sessionOptions(setup.provider, widened));
  lent.free();
  const outside = (names: readonly string[], known: readonly string[]): string[] =>
    names.filter((name) => !known.includes(name));
  const { takes } = model;
  const inputs = outside(session.inputNames, takes === undefined ? INPUTS : [...INPUTS, takes.name]);
  const outputs = outside(session.outputNames, model.declared);
  const missing = outside(model.declared, session.outputNames);
  if (inputs.length > 0) throw new Error(`it asks for unknown inputs: ${inputs.join(', ')}`);
  if (outputs.length > 0) throw new Error(`it has unknown outputs: ${outputs.join(', ')}`);
  if (missing.length > 0) throw new Error(`it lacks the outputs: ${missing.join(', ')}`);
  if (takes !== undefined && !session.inputNames.includes(takes.name))
    throw new Error(`it does not take ${takes.name}`);
  loaded.set(model.name, { model, session });
}

/** Mean of the first `rows` rows of `width` numbers. */
function mean(data: Float32Array, rows: number, width: number): Float32Array {
  const sum = new Float64Array(width);
  for (let r = 0; r < rows; r += 1) {
    for (let c = 0; c < width; c += 1) sum[c]! += data[r * width + c]!;
  }
  return Float32Array.from(sum, (x) => x / rows);
}

/** Runs sequences `from` to `to` of a batch as one tensor; gives each output's numbers a sequence, in order. */
async function runTensor(
  { model, session }: Loaded,
  batch: BatchRequest,
  offsets: readonly number[],
  from: number,
  to: number,
): Promise<Float32Array[][]> {
  const rows = to - from;
  let width = 0;
  for (let i = from; i < to; i += 1) width = Math.max(width, batch.lengths[i]!);
  const ids = new BigInt64Array(rows * width);
  const mask = new BigInt64Array(rows * width);
  const types = new BigInt64Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    const base = row * width;
    const length = batch.lengths[from + row]!;
    for (let t = 0; t < length; t += 1) ids[base + t] = BigInt(batch.ids[offsets[from + row]! + t]!);
    mask.fill(1n, base, base + length);
    types.fill(1n, base + batch.seconds[from + row]!, base + length);
  }
  const tensors = { input_ids: ids, attention_mask: mask, token_type_ids: types };
  const feeds: Record<string, Tensor> = {};
  for (const name of INPUTS) {
    if (session.inputNames.includes(name)) feeds[name] = new Tensor('int64', tensors[name], [rows, width]);
  }
  if (model.takes !== undefined) {
    const size = model.takes.width;
    const begin = offsets[from]! * size;
    const states = batch.hidden?.subarray(begin, begin + rows * width * size);
    if (states?.length !== rows * width * size)
      throw new Error('the lower half gave another number of states');
    feeds[model.takes.name] = new Tensor('float32', states, [rows, width, size]);
  }
  const names = model.outputs.map((o) => o.name);
  const began = performance.now();
  const results = await session.run(feeds, names);
  insideMs += performance.now() - began;
  return model.outputs.map(({ name, kind, width: wanted }) => {
    const { data, type, dims } = results[name]!;
    const numbers = data as Float32Array;
    const stride = numbers.length / rows;
    const each = kind === 'row' ? stride : stride / width;
    if (type !== 'float32' || dims[0] !== rows || (kind !== 'row' && dims[1] !== width) || each !== wanted) {
      throw new Error(`output ${name} is ${type} [${dims.join(', ')}]`);
    }
    return Array.from({ length: rows }, (_, row) => {
      const length = batch.lengths[from + row]!;
      const part = numbers.subarray(row * stride, (row + 1) * stride);
      const result =
        kind === 'mean'
          ? mean(part, length, each)
          : part.subarray(0, kind === 'tokens' ? length * each : each);
      // Overflow on a device with half precision must not pass for a score.
      if (!result.every(Number.isFinite)) throw new Error(`output ${name} is not finite`);
      return result;
    });
  });
}

async function answer(batch: BatchRequest): Promise<void> {
  const entry = loaded.get(batch.model);
  if (entry === undefined) throw new Error(`no model ${batch.model} in this thread`);
  const count = batch.lengths.length;
  const offsets: number[] = [];
  let at = 0;
  for (const length of batch.lengths) {
    offsets.push(at);
    at += length;
  }
  insideMs = 0;
  const step = entry.model.batching === 'single' ? 1 : count;
  const parts: Float32Array[][] = entry.model.outputs.map(() => []);
  for (let from = 0; from < count; from += step) {
    const results = await runTensor(entry, batch, offsets, from, Math.min(count, from + step));
    for (let o = 0; o < results.length; o += 1) parts[o]!.push(...results[o]!);
  }
  const outputs = parts.map((list) => {
    const joined = new Float32Array(list.reduce((n, part) => n + part.length, 0));
    let end = 0;
    for (const part of list) {
      joined.set(part, end);
      end += part.length;
    }
    return joined;
  });
  send(
    { id: batch.id, ms: insideMs, outputs },
    outputs.map((o) => o.buffer),
  );
}

let last: Promise<void> = Promise.resolve();

/** On a device the products are its own affair: it is held against the CPU by its scores. */
async function sums(): Promise<ProcessorSums | null> {
  if (setup.provider !== 'cpu') return null;
  return await processorSums(setup.widen);
}

async function start(models: readonly ThreadModel[]): Promise<void> {
  const found = await sums();
  for (const model of models) {
    try {
      await load(model, found?.widened ?? false);
    } catch (error) {
      send({ unusable: messageOf(error), model: model.name });
      return;
    }
  }
  send({ ready: true, sums: found });
}

async function stop(): Promise<void> {
  for (const { session } of loaded.values()) await session.release();
  port.close();
}

port.on('message', (message: ToThread) => {
  last = last.then(async () => {
    if (message === 'close') return await stop();
    if ('load' in message) return await start(message.load);
    try {
      await answer(message);
    } catch (error) {
      send({ id: message.id, failed: messageOf(error) });
    }
  });
});
