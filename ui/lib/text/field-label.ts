// Names fields in forms and diffs: one table by server name.

import type { Field } from '../../../src/conditions/condition.ts';
import { conditionFields } from '../../../src/conditions/table.ts';
import { backendFields, modelFields } from '../../../src/fields/model.ts';
import { cachedPrices, partPrices, unitPrices } from '../../../src/usage/price-names.ts';

export const fieldLabels = {
  name: 'Name',
  description: 'Description',
  enabled: 'Enabled',
  action: 'Action',
  tag: 'Tag',
  position: 'Position',
  targets: 'Targets',
  default_targets: 'Default targets',
  jump_to: 'Continue with',
  deny_status: 'Status',
  deny_message: 'Message',
  max_model_len: 'Context window shown to clients',
  upstream_model: 'Upstream model name',
  provider_id: 'Provider',
  api_base: 'Address',
  auth_header: 'Auth header',
  auth_scheme: 'Auth scheme',
  kind: 'Kind',
  email: 'Email',
  requests_per_min: 'Requests per minute',
  tokens_per_min: 'Tokens per minute',
  tokens_total: 'Token limit',
  cost_total_micros: 'Cost limit',
  window: 'Window',
  time_zone: 'Time zone',
  alert_at_percent: 'Alerts at percent',
  increases: 'Temporary increases',
  cost_micros: 'Cost',
  starts_at: 'Starts',
  ends_at: 'Ends',
  tokens_used: 'Tokens used',
  expires_at: 'Expires',
  min_margin: 'Margin',
  fallback_model_id: 'Global fallback model',
} as const;

/** By both of their names. */
const conditionLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Field>(conditionFields).flatMap(([name, { label, stored = name }]) => [
    [name, label],
    [stored, label],
  ]),
);

const entityLabels = Object.fromEntries([
  ...Object.entries({ ...modelFields, ...backendFields }).map(([name, { label }]) => [name, label]),
  ...[...partPrices, ...cachedPrices, ...unitPrices].map(({ name, label }) => [name, label]),
]);

/** Their parts are identified by id. */
const parts: Readonly<Record<string, string>> = {
  rules: 'Rule',
  targets: 'Target',
  default_targets: 'Default target',
  members: 'Member',
  examples: 'Example',
  permissions: 'Permission',
  increases: 'Increase',
};

/** `rules.12.tag` is "Rule #12 · Tag". Unknown names are kept. */
export function fieldLabel(field: string): string {
  const names = field.split('.');
  return names
    .flatMap((name, at) => {
      const part = parts[name];
      if (part !== undefined && /^\d+$/.test(names[at + 1] ?? '')) return [];
      const list = parts[names[at - 1] ?? ''];
      if (list !== undefined && /^\d+$/.test(name)) return [`${list} #${name}`];
      return [labelOf(name)];
    })
    .join(' · ');
}

function labelOf(name: string): string {
  const known: Readonly<Record<string, string>> = {
    ...conditionLabels,
    ...entityLabels,
    ...fieldLabels,
  };
  if (Object.hasOwn(known, name)) return known[name] ?? name;
  const [, plain = ''] = /^([a-z][a-z\d_]*)(?: \(secret\))?$/.exec(name) ?? [];
  if (plain === '') return name;
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');
}
