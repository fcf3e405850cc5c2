// Writes a record as JSON, curl, YAML and a gw command. Secrets are never included; files name an environment variable instead.

import { conditionFields } from '../../../src/conditions/table.ts';
import { flowFields, informationFields, priceFields } from '../../../src/fields/model.ts';
import { sessionNote } from './copy-as.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Records refer to others by id, files by name. */
export type Names = Readonly<{
  principal: ReadonlyMap<number, string>;
  frontendModel: ReadonlyMap<number, string>;
}>;

const nobody: Names = { principal: new Map(), frontendModel: new Map() };

/** `list` is below `gw`, except for the list of models with backends. */
type Entry = Readonly<{ list: string; isTop?: boolean; fields: Fields }>;

/** Null if a file cannot express the record. */
type Maker = (record: Fields, names: Names) => Entry | null;

const picked = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map((one) => Object(one)) : [];

/** Omits deleted targets. */
const targetNames = (value: unknown): readonly unknown[] =>
  listOf(value)
    .filter((one) => (one['provider_model_id'] ?? one['model_pool_id'] ?? null) !== null)
    .map(({ model }) => model);

const credential = 'os.environ/UPSTREAM_API_KEY';

const endpoint = (record: Fields): Fields => ({
  ...picked(record, ['api_base', 'protocol', 'auth_header']),
  // An empty scheme sends the credential alone; omitting it would use the default of the protocol.
  auth_scheme: record['auth_scheme'] ?? '',
  api_key: record['has_upstream_api_key'] === true ? credential : null,
  credential_kind:
    record['credential_kind'] === 'cloud_service_account' ? 'cloud_service_account' : null,
});

const shown = ['description', ...Object.keys(informationFields)];

/** From micros per million tokens to dollars per token. */
const costOf = (price: unknown): number | null =>
  typeof price === 'number' ? price / 1_000_000_000_000 : null;

function modelEntry(record: Fields): Entry {
  const [backend] = listOf(record['backends']);
  if (backend === undefined) {
    const prices = Object.keys(priceFields);
    return { list: 'models', fields: picked(record, ['name', ...shown, ...prices]) };
  }
  const parameters = {
    model: `${String(backend['protocol'])}/${String(backend['upstream_model'])}`,
    ...endpoint(backend),
    default_max_tokens: backend['default_max_tokens'],
    ...Object.fromEntries(
      Object.entries(priceFields).map(([name, { cost }]) => [cost, costOf(record[name])]),
    ),
  };
  const information = { ...picked(record, shown), ...picked(backend, Object.keys(flowFields)) };
  return {
    list: 'model_list',
    isTop: true,
    fields: {
      model_name: record['name'],
      litellm_params: said(parameters),
      model_info: said(information),
    },
  };
}

/** Fields that files write in the same way. */
const plainRule = [
  'name',
  'action',
  'deny_status',
  'deny_message',
  'tag',
  ...Object.keys(conditionFields).filter((name) => name !== 'principals'),
];

/**
 * Null if the rule refers to something without a name. Without that part it would match other
 * requests.
 */
function ruleOf(rule: Fields, { principal, frontendModel }: Names): Fields | null {
  const ids: readonly unknown[] = Array.isArray(rule['principals']) ? rule['principals'] : [];
  const principals = ids.map((id) => principal.get(Number(id)));
  const jump = rule['jump_to'] ?? null;
  const jumpTo = jump === null ? null : frontendModel.get(Number(jump));
  if (principals.includes(undefined) || jumpTo === undefined) return null;
  const targets = targetNames(rule['targets']);
  const enabled = rule['enabled'] === false ? false : null;
  const plain = picked(rule, plainRule);
  return said({ ...plain, enabled, principals, jump_to: jumpTo, targets });
}

function frontendModelEntry(record: Fields, names: Names): Entry | null {
  const rules = listOf(record['rules']).map((rule) => ruleOf(rule, names));
  if (rules.includes(null)) return null;
  const fields = {
    ...picked(record, ['name', 'description', 'max_model_len']),
    rules,
    default_targets: targetNames(record['default_targets']),
  };
  return { list: 'frontend_models', fields };
}

/** By the last segment of the API path. */
const makers: Readonly<Record<string, Maker>> = {
  providers: (record) =>
    record['kind'] === 'dynamic'
      ? null
      : {
          list: 'providers',
          fields: { ...picked(record, ['name', 'kind', 'catalogue_key']), ...endpoint(record) },
        },
  'provider-models': modelEntry,
  'model-pools': (record) => ({
    list: 'pools',
    fields: {
      ...picked(record, ['name', 'description', 'policy']),
      members: listOf(record['members'])
        .filter((one) => (one['provider_model_id'] ?? null) !== null)
        .map((one) => picked(one, ['model', 'weight'])),
    },
  }),
  'frontend-models': frontendModelEntry,
  'prompt-classes': (record) => ({
    list: 'prompt_classes',
    fields: picked(record, ['name', 'description', 'tier', 'min_margin', 'refines']),
  }),
  roles: (record) => ({
    list: 'roles',
    fields: {
      ...picked(record, ['name', 'description']),
      permissions: listOf(record['permissions']).map((one) => picked(one, ['verb', 'resource'])),
    },
  }),
  principals: (record) => ({
    list: 'principals',
    fields: picked(record, ['name', 'kind', 'roles']),
  }),
};

const said = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value)));

const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(typeof value === 'object' && Object.keys(value).length === 0);

/** Null if a file cannot express the record. */
export function yamlOfRecord(list: string, record: Fields, names: Names = nobody): string | null {
  const entry = makers[list]?.(record, names) ?? null;
  if (entry === null) return null;
  // JSON is valid YAML.
  const lines = Object.entries(said(entry.fields)).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  const [above, indent] =
    entry.isTop === true ? [[`${entry.list}:`], '  '] : [['gw:', `  ${entry.list}:`], '    '];
  return [...above, `${indent}- ${lines.join(`\n${indent}  `)}`, ''].join('\n');
}

/** In the order in which they are offered. */
export const recordLabels = ['JSON', 'curl', 'YAML', 'gw command'] as const;

export type CopyText = Readonly<{ label: string; text: string }>;

type Asked = Readonly<{ list: string; id: number; origin: string; names?: Names }>;

/** The record is one of `/admin/<list>`. */
export function textsOfRecord(
  record: object,
  { list, id, origin, names }: Asked,
): readonly CopyText[] {
  const { version: _version, ...fields }: Fields = { ...record };
  const yaml = yamlOfRecord(list, fields, names);
  const file = `cat > record.yaml <<'YAML'\n${yaml ?? ''}YAML\ngw import --config record.yaml`;
  const asked = `curl -s '${origin}/admin/${list}?limit=1000' -b "gw_session=$GW_SESSION"`;
  const picks = `jq '.[] | select(.id == ${id})'`;
  return [
    { label: 'JSON', text: `${JSON.stringify(fields, null, 2)}\n` },
    {
      label: 'curl',
      text: `${sessionNote(origin)}${asked} | ${picks}`,
    },
    ...(yaml === null
      ? []
      : [
          { label: 'YAML', text: yaml },
          { label: 'gw command', text: file },
        ]),
  ];
}
