// Serves configuration as code: plans, applies and exports declarative files
// (docs/guides/configuration-as-code.md).

import { z } from 'zod';

import { parseStream } from '../../../events/catalogue.ts';
import { declared, listNames } from '../../control/configuration/format.ts';
import { heldRecords, revealNames } from '../../control/configuration/held.ts';
import type { Held } from '../../control/configuration/held.ts';
import { planConfiguration } from '../../control/configuration/plan.ts';
import type { Configuration } from '../../control/commands/configuration.ts';
import type { Asked, ConfigurationPlan } from '../../control/configuration/plan.ts';
import { shownText, timestamp } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { mutate, reasonLengthMax, reasonOf } from '../http/mutation.ts';
import type { HistoryNeeds } from '../history/needs.ts';
import { none, route } from '../http/route.ts';

const bodyBytesMax = 16 * 1024 * 1024;

const list = z.enum(listNames);
const place = { list, name: z.string(), id: z.int() };

const changeRecord = z.object({
  action: z.enum(['create', 'update', 'delete']),
  list,
  name: z.string(),
  /** Null for a resource that will be created. */
  id: z.int().nullable(),
  /** In the format of the files. Secrets are masked. */
  fields: z
    .array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() }))
    .readonly(),
  /** The newest event of the resource since the set's last apply. */
  drift: z
    .object({
      position: z.int(),
      type: z.string(),
      at: timestamp,
      /** Null if no principal acted, or if its name was erased. */
      actor: z.string().nullable(),
    })
    .nullable(),
});

const planRecord = z.object({
  set: z.string(),
  /** Sending this digest applies exactly this plan. */
  plan: z.hash('sha256'),
  changes: z.array(changeRecord).readonly(),
  /**
   * Unchanged resources that the set takes over. A later apply deletes them if the files no longer
   * name them.
   */
  adopted: z.int(),
  /** Resources that belong to no set. They stay unchanged. */
  unmanaged: z.array(z.object(place)).readonly(),
  /** Parts of the files that an apply ignores. */
  warnings: z.array(z.string()).readonly(),
});

const asked = {
  resources: declared,
  /** Each set of files manages its own resources. */
  set: shownText(100).default('default'),
  /** Also deletes resources that the files' lists do not name and no other set manages. */
  prune: z.boolean().default(false),
};

const common = {
  method: 'POST',
  permission: 'config:write',
  params: none,
  query: none,
} as const;

const example = {
  resources: {
    providers: [{ name: 'rack-1', api_base: 'http://10.0.0.5:8000/v1' }],
    models: [{ name: 'qwen3-8b', provider: 'rack-1', upstream_model: 'Qwen/Qwen3-8B' }],
  },
};

export const configurationRoutes = [
  route({
    ...common,
    path: '/admin/configuration/plan',
    operation: 'planConfiguration',
    summary: 'Preview the changes of declarative files; writes nothing and contacts no provider',
    asks: true,
    bodyBytesMax,
    refusals: ['absent', 'conflict'],
    body: z.strictObject(asked),
    example,
    response: planRecord,
    handle: async ({ body }, { config }, needs: HistoryNeeds) => {
      const planned = await planOf(needs, config, body);
      return isRefusal(planned) ? planned : { body: toRecord(planned, body.set) };
    },
  }),
  route({
    ...common,
    path: '/admin/configuration/apply',
    operation: 'applyConfiguration',
    bodyBytesMax,
    example: { ...example, reason: 'commit 3f1c2aa' },
    summary: 'Apply declarative files to the configuration as one change',
    refusals: ['absent', 'conflict'],
    body: z.strictObject({
      ...asked,
      /** The digest of a plan. The call is refused if it would make any other change. */
      plan: z.hash('sha256').optional(),
      /** Required, here or in x-gw-reason. */
      reason: z.string().min(1).max(reasonLengthMax).optional(),
    }),
    response: planRecord,
    handle: async ({ body: { plan, reason, ...body } }, call, needs: HistoryNeeds) => {
      const given = reasonOf(call, reason);
      if (isRefusal(given)) return given;
      if (given === null) return reasonNeeded;
      const planned = await planOf(needs, call.config, body);
      if (isRefusal(planned)) return planned;
      if (plan !== undefined && plan !== planned.digest) return otherPlan;
      const record = toRecord(planned, body.set);
      const { steps, events, secrets } = planned;
      if (steps.length === 0) return { body: record };
      const command = { type: 'ApplyConfiguration', steps, events } as const;
      return mutate(call, { command, secrets, reason }, () => record);
    },
  }),
  route({
    ...common,
    path: '/admin/configuration/export',
    operation: 'exportConfiguration',
    summary:
      'Export the configuration as declarative files, with digests of keys and without secrets',
    asks: true,
    refusals: [],
    body: none,
    response: z.object({
      snapshot_version: z.int(),
      resources: z.record(z.string(), z.unknown()),
      /** Parts of the configuration that the files cannot express. */
      warnings: z.array(z.string()).readonly(),
    }),
    handle: async (_input, { config }, needs: HistoryNeeds) => {
      await config.refresh();
      const state = config.state();
      const revealed = await revealNames(needs, state);
      const { records, warnings } = heldRecords({ state, revealed });
      const resources = Object.fromEntries(
        listNames.map((list) => [list, shownIn(records, list)] as const),
      );
      return { body: { snapshot_version: state.version, resources, warnings } };
    },
  }),
] as const;

const shownIn = (records: Held['records'], list: string): unknown => {
  const shown = records.flatMap((one) => (one.list === list ? one.shown : []));
  return list === 'settings' ? shown[0] : shown;
};

const reasonNeeded = refuse(
  'invalid',
  'reason: is required, in the body or in the header x-gw-reason',
  {
    param: 'reason',
  },
);

const otherPlan = refuse(
  'conflict',
  'plan: the configuration or the files have changed since the plan was made; make a new plan',
  { param: 'plan' },
);

type Given = Readonly<{ resources: Asked['files']; set: string; prune: boolean }>;

/** The field of a refusal is the place of the resource in the body. */
async function planOf(
  needs: HistoryNeeds,
  config: Configuration,
  { resources: files, set, prune }: Given,
): Promise<ConfigurationPlan | Refusal> {
  await config.refresh();
  const tools = { ...needs, state: config.state };
  const planned = await planConfiguration(tools, { files, set, prune });
  if (!isRefusal(planned) || planned.param === null) return planned;
  return { ...planned, param: `resources.${planned.param}` };
}

const toRecord = (
  { changes, digest, adopted, unmanaged, warnings }: ConfigurationPlan,
  set: string,
): z.input<typeof planRecord> => ({
  set,
  plan: digest,
  changes: changes.map(({ action, list: name, held, fields, drift, ...change }) => ({
    action,
    list: list.parse(name),
    name: change.name,
    id: held === null ? null : idIn(held),
    fields,
    drift: drift && {
      position: drift.position,
      type: drift.type,
      at: drift.recorded_at.toISOString(),
      actor: drift.actor,
    },
  })),
  adopted,
  warnings,
  unmanaged: unmanaged.map((one) => ({
    list: list.parse(one.list),
    name: one.name,
    id: idIn(one),
  })),
});

const idIn = ({ stream }: Held['records'][number]): number => parseStream(stream).id;
