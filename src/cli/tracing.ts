// Opens the tracer of a serving process. Without a collector, no tracing code is loaded.

import { createGuard } from '../egress/egress.ts';
import type { Log } from '../telemetry/log.ts';
import { openTracer } from '../telemetry/open-tracer.ts';
import type { Tracer } from '../telemetry/trace.ts';
import type { SettingValues } from './settings/settings-table.ts';
import { programVersion } from './version.ts';

export type TracingSettings = Pick<
  SettingValues,
  'otelEndpoint' | 'otelSampleOneIn' | 'otelServiceName' | 'egressAllow' | 'egressDeny'
>;

export async function openTracing(settings: TracingSettings, log: Log): Promise<Tracer | null> {
  const { otelEndpoint: endpoint, otelSampleOneIn: sampleOneIn, otelServiceName } = settings;
  if (endpoint === null) return null;
  return openTracer({
    endpoint,
    guard: createGuard({ allow: settings.egressAllow, deny: settings.egressDeny }),
    sampleOneIn,
    serviceName: otelServiceName,
    version: programVersion(),
    log: log.of('tracing'),
  });
}
