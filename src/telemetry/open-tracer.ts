// Loads the code that makes and exports spans only when a collector is configured.

import type { Tracer, TracerOptions } from './trace.ts';

export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const { createTracer } = await import('./otlp-tracer.ts');
  return createTracer(options);
}
