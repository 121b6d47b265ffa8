import type { InferenceSession } from 'onnxruntime-node';
import type { Provider } from '../types.ts';

/**
 * How every session is made: one core a session, because the threads are ours; no spinning, because others need the
 * cores too. The runtime optimises the graph when it is loaded. Memory patterns are laid out anew for each shape that
 * comes, and ours come in hundreds: 30 MiB more at two threads for no speed (`pragaura bench scorers --parts variants`).
 * `widened`: see `processorSums`.
 */
export function sessionOptions(provider: Provider, widened = false): InferenceSession.SessionOptions {
  const spinning = { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } };
  return {
    executionProviders: [provider],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    enableMemPattern: false,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 4,
    extra: { session: { ...spinning, ...(widened && { x64quantprecision: '1' }) } },
  };
}
