// Returns the settings of this process and the caller (specification, "Observability, operations,
// other"). Read-only, without secrets.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { principalNames } from '../../control/access/principal-names.ts';
import type { Revealing } from '../../control/access/principal-names.ts';
import { sessionSeconds } from '../../control/access/sessions.ts';
import { verbsHeld } from '../../../projections/config/grants.ts';
import type { Holder } from '../../../projections/config/grants.ts';
import { principalId } from '../../lib/ids.ts';
import { verb } from '../../lib/vocabulary.ts';
import { holderOf } from '../http/permissions.ts';
import { settingFact } from './program.ts';
import type { SettingFact } from './program.ts';
import type { OperationNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Null if this release has no such setting, or if it is not set. */
const number = z.number().nullable();
const text = z.string().nullable();

const configRecord = z.object({
  you: z.object({ id: principalId, name: z.string(), permissions: z.array(verb).readonly() }),
  role: z.enum(['control', 'all']),
  version: z.string(),
  tls: z.boolean(),
  uptime_seconds: z.int(),
  snapshot_version: z.int().nullable(),
  snapshot_rebuild_failures: z.int(),
  session_ttl_hours: z.number(),
  sessions: z.int(),
  config_poll_seconds: number,
  health_report_interval_seconds: number,
  cache_max_entries: number,
  cache_max_bytes: number,
  /** The encoder of each tier. Null if there is none. */
  classifier_tier1: text,
  classifier_tier2: text,
  /** Null if tracing is off. */
  otel_endpoint: text,
  otel_sample_one_in: number,
  webhook_configured: z.boolean(),
  webhook_signed: z.boolean(),
  /** For clients. Null if unknown. */
  gateway_url: text,
  /** True if there is a deployment to show. */
  deployment_managed: z.boolean(),
  /** Alias of the previous field for other clients. */
  operator_managed: z.boolean(),
  /** Load balancing between the backends of one model. Null if the process serves no models. */
  policy: text,
  models: z.int(),
  models_unpriced: z.int(),
  models_cached: z.int(),
  settings: z.array(settingFact).readonly(),
});

export const configRoutes = [
  route({
    method: 'GET',
    path: '/admin/config',
    operation: 'getConfig',
    permission: 'usage:read',
    summary: 'Get the settings of the process and the current caller',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: configRecord,
    handle: async (_input, { config: { state }, caller }, needs: OperationNeeds) => {
      const holder = holderOf(caller);
      if (holder === null) throw new Error('the caller of this route is not a principal');
      const { program, publisher, encoders, deployment } = needs;
      const { settings, role, version } = program;
      return {
        body: {
          you: await asker(needs, state(), holder),
          role,
          version,
          tls: needs.secureCookies,
          uptime_seconds: Math.floor(program.uptimeSeconds()),
          snapshot_version: publisher.current()?.version ?? null,
          snapshot_rebuild_failures: publisher.failures(),
          session_ttl_hours: sessionSeconds / 3600,
          sessions: await needs.sessions.count(),
          config_poll_seconds: numberOf(settings, 'configPoll'),
          health_report_interval_seconds: numberOf(settings, 'healthReportInterval'),
          cache_max_entries: numberOf(settings, 'cacheMaxEntries'),
          cache_max_bytes: numberOf(settings, 'cacheMaxBytes'),
          classifier_tier1: encoders?.fast.identity ?? null,
          classifier_tier2: encoders?.refined?.identity ?? null,
          otel_endpoint: textOf(settings, 'otelEndpoint'),
          otel_sample_one_in: numberOf(settings, 'otelSampleOneIn'),
          webhook_configured: isSet(settings, 'webhookUrl'),
          webhook_signed: isSet(settings, 'webhookSecret'),
          gateway_url: program.gateway?.url() ?? null,
          deployment_managed: deployment.isManaged,
          operator_managed: deployment.isManaged,
          policy: textOf(settings, 'policy'),
          ...modelCounts(state()),
          settings,
        },
      };
    },
  }),
] as const;

export async function asker(reading: Revealing, state: ConfigState, holder: Holder) {
  const { principalId: id } = holder;
  const principal = state.principal.byId.get(id);
  const names = await principalNames(reading, principal === undefined ? [] : [principal]);
  const permissions = [...(verbsHeld(state, holder) ?? [])].toSorted();
  return { id, name: names.get(id) ?? '', permissions };
}

/** Settings are named after their flags: --config-poll is configPoll. */
const valueOf = (settings: readonly SettingFact[], name: string): SettingFact['value'] =>
  settings.find((one) => one.name === name)?.value ?? null;

function numberOf(settings: readonly SettingFact[], name: string): number | null {
  const value = valueOf(settings, name);
  return typeof value === 'number' ? value : null;
}

function textOf(settings: readonly SettingFact[], name: string): string | null {
  const value = valueOf(settings, name);
  return typeof value === 'string' ? value : null;
}

const isSet = (settings: readonly SettingFact[], name: string): boolean =>
  settings.some((one) => one.name === name && one.is_set);

function modelCounts({ model }: ConfigState) {
  const models = [...model.byId.values()];
  const isUnpriced = (one: (typeof models)[number]): boolean =>
    one.inputPricePerMtok === null && one.outputPricePerMtok === null;
  return {
    models: models.length,
    models_unpriced: models.filter(isUnpriced).length,
    models_cached: models.filter((one) => one.cacheTtlSeconds !== null).length,
  };
}
