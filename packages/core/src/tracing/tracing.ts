import type * as Api from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';

/**
 * Traces by OpenTelemetry, for programs that have set an SDK up (docs/operations.md): one from submit over the wait to the run, and on to
 * the children of a task that fans out. `@opentelemetry/api` is optional, and without an SDK behind it nothing is recorded, carried or
 * waited for.
 */
async function loadApi(): Promise<typeof Api | null> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

const api = await loadApi();

const TRACER = 'galley';

/** Whether an SDK has been set up; asked before anything is put together for a span, since most programs have none. */
export function isTracing(): boolean {
  if (api === null) return false;
  const provider = api.trace.getTracerProvider();
  return !(provider instanceof api.ProxyTracerProvider) || provider.getDelegateTracer(TRACER) !== undefined;
}

/** W3C Trace Context: version, trace, span, flags. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** What came of what a span covers, where that is no error that was thrown. */
export interface SpanOutcome {
  readonly attributes?: Attributes;
  readonly failedWith: { readonly code: string; readonly message: string } | null;
}

/** A span that is being recorded. */
export class OpenSpan {
  private readonly span: Span;
  private readonly context: Context;
  /** Where the span stands, for others to follow, as W3C Trace Context writes it. */
  readonly traceparent: string;

  constructor(span: Span, context: Context) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.span = span;
    this.context = context;
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  /** Does `work` as part of the span, and ends it with how that ends. */
  async around<Value>(work: () => Promise<Value>, describe?: (value: Value) => SpanOutcome): Promise<Value> {
    try {
      const value = await (api === null ? work() : api.context.with(this.context, work));
      if (describe !== undefined) {
        const { failedWith, attributes = {} } = describe(value);
        this.span.setAttributes(attributes);
        if (failedWith !== null) this.fail(failedWith.message, failedWith.code);
      }
      return value;
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      this.span.end();
    }
  }

  private fail(message: string, code?: string): void {
    if (api === null) return;
    this.span.setStatus({ code: api.SpanStatusCode.ERROR, message });
    if (code !== undefined) this.span.setAttribute('galley.error.code', code);
  }
}

function parentOf(traceparent: string | undefined): Context | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (api === null || traceId === undefined || spanId === undefined || flags === undefined) return null;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

export interface SpanFacts {
  readonly kind: 'producer' | 'consumer';
  readonly attributes: Attributes;
  /** The span that it follows; left out: the one under way in this program, if any. */
  readonly parent?: string | undefined;
}

/** Null where nobody records. */
export function openSpan(name: string, { kind, attributes, parent }: SpanFacts): OpenSpan | null {
  if (api === null) return null;
  const context = parentOf(parent) ?? api.context.active();
  const spanKind = kind === 'producer' ? api.SpanKind.PRODUCER : api.SpanKind.CONSUMER;
  const span = api.trace.getTracer(TRACER).startSpan(name, { kind: spanKind, attributes }, context);
  return span.isRecording() ? new OpenSpan(span, api.trace.setSpan(context, span)) : null;
}

/** A span of the past, `from` and `to` in milliseconds since the epoch. */
export function recordSpan(name: string, { attributes, parent }: SpanFacts, from: number, to: number): void {
  const context = parentOf(parent);
  if (api === null || context === null) return;
  api.trace.getTracer(TRACER).startSpan(name, { attributes, startTime: from }, context).end(to);
}
