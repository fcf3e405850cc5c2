// Defines the format of declarative files: lists of resources, identified by name, with the fields
// of the admin API. References use names (docs/guides/configuration-as-code.md).

import { z } from 'zod';

import { ownFieldsOf } from '../../../events/catalogue.ts';
import { nouns, remoteNouns } from '../../../events/nouns.ts';
import type { Noun, RemoteNoun } from '../../../events/nouns.ts';
import { budgetField, perMinuteField, tokensField } from '../../lib/amounts.ts';
import { disagreeing, fileWindowShape, windowsAgree, withWindow } from '../../lib/budget-fields.ts';
import {
  apiBaseField,
  authHeaderField,
  authSchemeField,
  credentialField,
  minMarginDefault,
  modelNameField,
  nameField,
  remoteNameField,
  remoteUrlField,
  resourceField,
  roleNameField,
  shownText,
  timestampField,
  upstreamModelField,
} from '../../lib/fields.ts';
import {
  changeKind,
  poolPolicy,
  principalKind,
  promptClassTier,
  verb,
  webhookFormat,
} from '../../lib/vocabulary.ts';
import { bareModel, credentialKindField, protocolField } from '../../snapshot/file/format.ts';
import { member, rule } from '../../snapshot/file/records.ts';
import { description, text } from '../../snapshot/file/text.ts';
import {
  routingKeyField,
  signingSecretField,
  webhookTypesField,
  webhookUrlField,
} from '../webhooks/fields.ts';

const name = text.pipe(nameField);
const modelName = text.pipe(modelNameField);
const names = z.array(name);

/** Invalid addresses are refused elsewhere. */
const hrefOf = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

/** Keeps the stored credential. */
export const heldCredential = 'held';

const secret = <Field extends z.ZodType<string, string>>(field: Field) =>
  text.pipe(z.union([z.literal(heldCredential), field])).optional();

const credential = {
  auth_header: authHeaderField.toLowerCase().nullish(),
  /** Null or an empty string sends the raw credential. */
  auth_scheme: authSchemeField.transform((scheme) => (scheme === '' ? null : scheme)).nullish(),
  /** Null clears it. */
  upstream_api_key: text.pipe(credentialField).nullish(),
};

export const provider = z.strictObject({
  name,
  was: name.optional(),
  kind: z.enum(['static', 'cloud']).nullish(),
  catalogue_key: shownText(100).nullish(),
  api_base: apiBaseField.transform((text) => hrefOf(text).replace(/\/+$/, '')).optional(),
  protocol: protocolField,
  ...credential,
  credential_kind: credentialKindField,
});

export const model = bareModel.extend({
  was: modelName.optional(),
  provider: name.nullish(),
  /** Default: the name of the model. */
  upstream_model: text.pipe(upstreamModelField).nullish(),
  default_max_tokens: tokensField.nullish(),
});

export const pool = z.strictObject({
  name: modelName,
  was: modelName.optional(),
  description,
  policy: poolPolicy.nullish(),
  members: z.array(member).optional(),
});

export const promptClass = z.strictObject({
  name,
  was: name.optional(),
  description,
  tier: promptClassTier.optional(),
  min_margin: z.number().min(0).max(2).optional(),
  refines: names.optional(),
});

const frontendModel = z.strictObject({
  name: modelName,
  was: modelName.optional(),
  description,
  max_model_len: tokensField.nullish(),
  rules: z.array(rule).optional(),
  default_targets: names.optional(),
});

export const role = z.strictObject({
  name: text.pipe(roleNameField),
  was: text.pipe(roleNameField).optional(),
  description,
  permissions: z.array(z.strictObject({ verb, resource: resourceField })).optional(),
});

export const principal = z.strictObject({
  name,
  was: name.optional(),
  kind: principalKind.optional(),
  /** Excludes roles that follow from groups of an identity provider. */
  roles: names.optional(),
  limits: z
    .strictObject({
      requests_per_min: perMinuteField.nullish(),
      tokens_per_min: perMinuteField.nullish(),
    })
    .nullish(),
  budget: z
    .strictObject({
      tokens_total: budgetField.nullish(),
      cost_total_micros: budgetField.nullish(),
      ...fileWindowShape,
    })
    .refine(windowsAgree, disagreeing)
    .transform(withWindow)
    .nullish(),
});

/** A key that was created elsewhere, identified by its SHA-256. Two keys may have the same name. */
export const key = z.strictObject({
  key_sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits'),
  name,
  principal: name,
  prefix: shownText(20).optional(),
  expires_at: timestampField.nullish(),
});

const remote = z.strictObject({
  name: remoteNameField,
  was: remoteNameField.optional(),
  url: remoteUrlField.transform(hrefOf),
  description,
  enabled: z.boolean().optional(),
  ...credential,
});

export function remoteSchema(noun: RemoteNoun): typeof remote;
export function remoteSchema(noun: RemoteNoun): z.ZodObject {
  return remote.extend(z.object(ownFieldsOf(noun)).partial().shape);
}

export type RemoteList = (typeof nouns)[RemoteNoun]['remote']['list'];

/** The schema per list of servers and agents. */
export function remoteLists<Member>(
  make: (noun: RemoteNoun) => Member,
): Readonly<Record<RemoteList, Member>>;
export function remoteLists(make: (noun: RemoteNoun) => unknown): object {
  return Object.fromEntries(remoteNouns.map((noun) => [nouns[noun].remote.list, make(noun)]));
}

/** Absent secrets keep the stored ones. */
export const webhook = z.strictObject({
  name,
  was: name.optional(),
  description,
  types: webhookTypesField.optional(),
  enabled: z.boolean().optional(),
  format: webhookFormat.optional(),
  url: secret(webhookUrlField.transform(hrefOf)),
  /** The signing secret of format standard. */
  secret: secret(signingSecretField),
  /** The integration key of format pagerduty. */
  routing_key: secret(routingKeyField),
});

export const settings = z.strictObject({
  /** The fallback model of every chain. */
  fallback_model: modelName.nullish(),
  /** The kinds of change that require an approved change request. */
  change_policy: z.array(changeKind).optional(),
});

/** A missing list is empty. */
export const declared = z.strictObject({
  providers: z.array(provider).optional(),
  models: z.array(model).optional(),
  pools: z.array(pool).optional(),
  prompt_classes: z.array(promptClass).optional(),
  frontend_models: z.array(frontendModel).optional(),
  roles: z.array(role).optional(),
  principals: z.array(principal).optional(),
  keys: z.array(key).optional(),
  ...remoteLists((noun) => z.array(remoteSchema(noun)).optional()),
  webhooks: z.array(webhook).optional(),
  settings: settings.optional(),
});
export type Declared = z.output<typeof declared>;
export type ListName = keyof Declared;

/** The prefix of a key whose start is unknown. */
export const hiddenPrefix = '(hidden)';

type ListFacts = Readonly<{
  noun: Noun;
  schema: z.ZodObject;
  /** The value of a field that the files do not state. */
  defaults: Readonly<Record<string, unknown>>;
  sets: readonly string[];
  /** Fields whose values are in the vault. Plans compare their fingerprints. */
  secrets: readonly string[];
}>;

const usual = { defaults: {}, sets: [], secrets: [] };
const withCredential = { ...usual, secrets: ['upstream_api_key'] };

const remoteDefaults = { auth_header: 'authorization', auth_scheme: 'Bearer', enabled: true };

export const lists: Readonly<Record<ListName, ListFacts>> = {
  providers: { ...withCredential, noun: 'provider', schema: provider },
  models: { ...usual, noun: 'model', schema: model },
  pools: { ...usual, noun: 'pool', schema: pool, defaults: { members: [] } },
  prompt_classes: {
    ...usual,
    noun: 'prompt_class',
    schema: promptClass,
    defaults: { tier: 'fast', min_margin: minMarginDefault, refines: [] },
    sets: ['refines'],
  },
  frontend_models: {
    ...usual,
    noun: 'frontend_model',
    schema: frontendModel,
    defaults: { rules: [], default_targets: [] },
  },
  roles: {
    ...usual,
    noun: 'role',
    schema: role,
    defaults: { permissions: [] },
    sets: ['permissions'],
  },
  principals: {
    ...usual,
    noun: 'principal',
    schema: principal,
    defaults: { kind: 'service_account', roles: [] },
    sets: ['roles'],
  },
  keys: { ...usual, noun: 'api_key', schema: key, defaults: { prefix: hiddenPrefix } },
  ...remoteLists((noun) => ({
    ...withCredential,
    noun,
    schema: remoteSchema(noun),
    defaults: { ...remoteDefaults, ...nouns[noun].remote.usual },
  })),
  webhooks: {
    ...usual,
    noun: 'webhook_endpoint',
    schema: webhook,
    defaults: { format: 'standard', enabled: true },
    sets: ['types'],
    secrets: ['url', 'secret', 'routing_key'],
  },
  settings: {
    ...usual,
    noun: 'settings',
    schema: settings,
    defaults: { change_policy: [] },
    sets: ['change_policy'],
  },
};

export const listNames = declared.keyof().options;

export const isListName = (list: string): list is ListName => Object.hasOwn(lists, list);
