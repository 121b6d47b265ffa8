/** OpenTelemetry traces of queue and worker, by way of bullmq-otel. */
import type { Attributes, Span, Telemetry } from 'bullmq';
import { loadPeer } from './optional-peer.ts';

/** Attributes of BullMQ's spans that hold what a job returned, was given, or failed with. */
const PAYLOADS: ReadonlySet<string> = new Set([
  'bullmq.job.result',
  'bullmq.job.failed.reason',
  'bullmq.job.progress',
]);

const withoutPayloads = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !PAYLOADS.has(name)));

/**
 * The `telemetry` option for BullMQ's Queue and Worker. Spans go to the OpenTelemetry SDK that the process was
 * started with (`NODE_OPTIONS="--import …"`); without one they go nowhere. The context travels in the job, so that
 * submitting, processing and retries are one trace. Throws CONFIGURATION when bullmq-otel is missing.
 */
export async function openTracing(
  load: () => Promise<typeof import('bullmq-otel')> = () => import('bullmq-otel'),
): Promise<Telemetry> {
  const { BullMQOtel } = await loadPeer('--tracing', ['bullmq-otel', '@opentelemetry/api'], load);
  const telemetry: Telemetry = new BullMQOtel({ tracerName: 'pragaura' });
  const { contextManager, tracer } = telemetry;
  // Opened at the start, outside of any span; else the stalled check would hang for ever on the span that began it.
  const root = contextManager.active();
  return {
    tracer: { startSpan: (...args) => discreet(tracer.startSpan(...args)) },
    contextManager: {
      with: contextManager.with.bind(contextManager),
      active: contextManager.active.bind(contextManager),
      root: () => root,
      getMetadata: contextManager.getMetadata.bind(contextManager),
      fromMetadata: contextManager.fromMetadata.bind(contextManager),
    },
  };
}

/** The span without results and reasons: both may quote a query. */
function discreet(span: Span): Span {
  return {
    setSpanOnContext: (context) => span.setSpanOnContext(context),
    setAttribute: (name, value) => {
      if (!PAYLOADS.has(name)) span.setAttribute(name, value);
    },
    setAttributes: (attributes) => span.setAttributes(withoutPayloads(attributes)),
    addEvent: (name, attributes) => span.addEvent(name, attributes && withoutPayloads(attributes)),
    recordException: (exception, time) => {
      const name = exception instanceof Error ? exception.name : 'Error';
      span.recordException({ name, message: 'not traced: it may quote the query' }, time);
    },
    end: () => span.end(),
  };
}
