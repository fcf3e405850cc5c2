// Lists the settings of the log and of traces.

import { choice, define, httpUrl, logFilter, text, wholeNumber } from './setting.ts';

export const telemetrySettings = {
  log: define({
    flag: '--log',
    variable: 'GW_LOG',
    schema: logFilter,
    fallback: 'info',
    description:
      'log filter: a level (trace, debug, info, warn, error, off) and levels of components, such as info,gw::gateway=debug',
  }),
  logFormat: define({
    flag: '--log-format',
    variable: 'GW_LOG_FORMAT',
    schema: choice(['text', 'json']),
    fallback: 'text',
    description: 'text, or json for one object per line',
  }),
  otelEndpoint: define({
    flag: '--otel-endpoint',
    variable: 'GW_OTEL_ENDPOINT',
    schema: httpUrl,
    fallback: null,
    description:
      'OTLP/HTTP collector for spans, such as http://127.0.0.1:4318; without it, traces are off',
  }),
  otelSampleOneIn: define({
    flag: '--otel-sample-one-in',
    variable: 'GW_OTEL_SAMPLE_ONE_IN',
    schema: wholeNumber({ from: 1, to: 1_000_000_000 }),
    fallback: 100,
    description:
      'traces one request in this many; 1 traces all; a sampling decision of the caller takes precedence',
  }),
  otelServiceName: define({
    flag: '--otel-service-name',
    variable: 'GW_OTEL_SERVICE_NAME',
    schema: text,
    fallback: 'gw',
    description: 'service.name of the spans',
  }),
} as const;
