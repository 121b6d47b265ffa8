/** What happens to one job, without a Redis: the corners that are hard to come by with one. */
import { describe, expect, it } from 'vitest';
import { PragauraError } from '../../common/index.ts';
import { digestOf, jobIdOf } from '../queue/index.ts';
import { fakeDecider, fakeDecision } from '../testing/fake-decider.ts';
import { HEARTBEAT, type JobResult, type QueryJob, ROUTE } from '../types.ts';
import { HandedBack, Hopeless, type ProcessorOptions, processJob, type TakenJob } from './process.ts';

const query = { id: 'x', query: 'Who?' };
const decider = fakeDecider();
const data: QueryJob = {
  schema: 'pragaura.job/1',
  digest: digestOf(query),
  configuration: decider.configuration,
  generation: 0,
  tenant: 't',
  priority: 'bulk',
  submittedAt: 1_000,
  deadlineAt: null,
  query,
};
const job = (more: Partial<TakenJob> = {}): TakenJob => ({
  id: jobIdOf('t', 'x', decider.configuration),
  name: ROUTE,
  data,
  starts: 1,
  lastTry: false,
  ...more,
});

function world(more: Partial<ProcessorOptions> = {}, had: JobResult | null = null) {
  const stored: JobResult[] = [];
  const options: ProcessorOptions = {
    worker: 'w',
    store: {
      now: () => 1_500,
      lookUp: async () => [had],
      finish: async (result) => {
        stored.push(result);
        return true;
      },
    },
    decider,
    mostStarts: 3,
    observer: {},
    say: () => {},
    ...more,
  };
  return { stored, options };
}
const never = new AbortController().signal;

describe('a job', () => {
  it('is stored with what is known of it', async () => {
    const { stored, options } = world();
    await processJob(job(), never, options);
    expect(stored).toEqual([
      {
        schema: 'pragaura.result/1',
        digest: data.digest,
        configuration: decider.configuration,
        jobId: job().id,
        generation: 0,
        tenant: 't',
        id: 'x',
        decision: fakeDecision(query),
        attempts: 1,
        worker: 'w',
        finishedAt: 1_500,
      },
    ]);
  });

  it('is not decided again when a worker that is gone had stored its result', async () => {
    const first = world();
    await processJob(job(), never, first.options);
    const had = first.stored[0]!;
    const own = fakeDecider();
    const second = world({ decider: own }, had);
    await processJob(job({ starts: 2 }), never, second.options);
    expect([own.routed, second.stored]).toEqual([[], []]);
    const { decision: _, ...rest } = had;
    const failed = world({ decider: own }, { ...rest, error: { code: 'INVALID_INPUT', message: 'No.' } });
    await expect(processJob(job({ starts: 2 }), never, failed.options)).rejects.toThrow(
      new Hopeless('INVALID_INPUT: No.'),
    );
    expect(own.routed).toEqual([]);
    // A result from before an operator had it tried again is none.
    const again = world({ decider: own }, had);
    await processJob(job({ starts: 2, data: { ...data, generation: 1 } }), never, again.options);
    expect(own.routed).toEqual(['x']);
  });

  it('is given up when it ended too many workers', async () => {
    const own = fakeDecider();
    const { stored, options } = world({ decider: own });
    await expect(processJob(job({ starts: 4 }), never, options)).rejects.toBeInstanceOf(Hopeless);
    expect(own.routed).toEqual([]);
    expect(stored[0]).toMatchObject({
      error: { code: 'JOB_FAILED', message: expect.stringContaining('3 times') },
    });
  });

  it('keeps its decision while Redis is full, and writes it once', async () => {
    let refusals = 2;
    const own = fakeDecider();
    const said: string[] = [];
    const { options, stored } = world({ decider: own, say: (message) => said.push(message) });
    const finish = options.store.finish;
    options.store.finish = async (...all) => {
      if (refusals-- > 0) throw new Error('OOM command not allowed when used memory > maxmemory');
      return finish(...all);
    };
    await processJob(job(), never, options);
    expect([own.routed.length, stored.length, said.length]).toEqual([1, 1, 1]);
  });

  it('goes back in line when its worker stops, while it is decided and while it is written', async () => {
    const stop = new AbortController();
    const slow = fakeDecider(
      (_, signal) =>
        new Promise((_go, reject) => {
          signal.addEventListener('abort', () => reject(new PragauraError('ABORTED', 'Cancelled.')));
          stop.abort();
        }),
    );
    const deciding = world({ decider: slow });
    await expect(processJob(job(), stop.signal, deciding.options)).rejects.toBeInstanceOf(HandedBack);
    expect(deciding.stored).toEqual([]);
    const writing = world();
    const late = new AbortController();
    writing.options.store.finish = async () => {
      late.abort();
      throw new Error('Connection is closed.');
    };
    await expect(processJob(job(), late.signal, writing.options)).rejects.toBeInstanceOf(HandedBack);
  });

  it('may come without a deadline that it had, and after one by a second', async () => {
    const { stored, options } = world();
    await processJob(job({ data: { ...data, deadlineAt: 1_500 } }), never, options);
    await processJob(job({ data: { ...data, deadlineAt: 1_501 } }), never, options);
    expect(stored.map(({ decision }) => decision!.abstention!.reason)).toEqual([
      'DEADLINE_EXCEEDED',
      'NO_RESULTS',
    ]);
  });

  it('does not mind an observer that fails', async () => {
    const fail = () => {
      throw new Error('observer');
    };
    const { stored, options } = world({
      observer: { started: fail, finished: fail, heartbeat: fail, failed: fail },
    });
    await processJob(job(), never, options);
    await processJob(job({ name: HEARTBEAT, data: 1 }), never, options);
    await expect(processJob(job({ data: 1 }), never, options)).rejects.toBeInstanceOf(Hopeless);
    expect(stored.length).toBe(1);
  });

  it.each([
    ['of another configuration', { ...data, configuration: 'f'.repeat(64) }],
    ['under another id', { ...data, query: { id: 'y', query: 'Who?' } }],
    ['of another version', { ...data, schema: 'pragaura.job/2' }],
    ['with more than it should have', { ...data, extra: 1 }],
    ['that is nothing', null],
  ])("%s is nobody's", async (_, foreign) => {
    const { stored, options } = world();
    await expect(processJob(job({ data: foreign }), never, options)).rejects.toBeInstanceOf(Hopeless);
    expect(stored).toEqual([]);
  });
});
