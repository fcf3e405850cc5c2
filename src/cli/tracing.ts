// Opens the tracer of a serving process when a collector is configured; without one nothing of tracing is loaded.

import type { Log } from '../telemetry/log.ts';
import { openTracer } from '../telemetry/trace.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { SettingValues } from './settings-table.ts';
import { programVersion } from './version.ts';

export type TracingSettings = Pick<
  SettingValues,
  'otelEndpoint' | 'otelSampleOneIn' | 'otelServiceName'
>;

export async function openTracing(settings: TracingSettings, log: Log): Promise<Tracer | null> {
  const { otelEndpoint: endpoint, otelSampleOneIn: sampleOneIn, otelServiceName } = settings;
  if (endpoint === null) return null;
  return openTracer({
    endpoint,
    sampleOneIn,
    serviceName: otelServiceName,
    version: programVersion(),
    log: log.of('tracing'),
  });
}
