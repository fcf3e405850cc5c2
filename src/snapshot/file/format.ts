// Defines the parts of a configuration file that gw reads (specification, "File-mode configuration
// file"; docs/guides/configuration-file.md). Other keys belong to other readers of the format.

import { z } from 'zod';

import {
  budgetField,
  perMinuteField,
  spentField,
  tokensField,
  weightMax,
} from '../../lib/amounts.ts';
import { disagreeing, fileWindowShape, windowsAgree, withWindow } from '../../lib/budget-fields.ts';
import { flowFields, informationFields, modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import {
  apiBaseField,
  authHeaderField,
  authSchemeField,
  credentialField,
  modelNameField,
  nameField,
  namingText,
  shownText,
  timestampField,
  upstreamModelField,
} from '../../lib/fields.ts';
import { credentialKind, protocol, protocolAliases } from '../../lib/vocabulary.ts';
import { checkPrices } from './prices.ts';
import { recordLists } from './records.ts';
import { description, text } from './text.ts';
import { tuningFields } from '../tuning.ts';

const optionalText = text.nullish();
const address = text.pipe(apiBaseField);
const name = text.pipe(nameField);

const seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .transform(Number),
]);

export const protocolField = z.preprocess(
  (value) => (typeof value === 'string' ? (protocolAliases[value] ?? value) : value),
  protocol.nullish(),
);
export const credentialKindField = z.preprocess(
  (value) => (value === 'gcp_service_account' ? 'cloud_service_account' : value),
  credentialKind.nullish(),
);

const endpoint = {
  api_key: text.pipe(credentialField).nullish(),
  protocol: protocolField,
  auth_header: text.pipe(authHeaderField).nullish(),
  auth_scheme: text.pipe(authSchemeField).nullish(),
  credential_kind: credentialKindField,
};

const flowControl = shapeOf(flowFields, 'file');

/** Part of the common format, where any large number may mean "unlimited". */
const foreignTokens = z.int().positive().nullish();

const modelInfo = z
  .looseObject({
    description,
    max_input_tokens: foreignTokens,
    mode: z.string().nullish(),
    ...shapeOf(informationFields, 'file'),
    ...flowControl,
  })
  .superRefine(checkPrices);
export type ModelInfo = z.output<typeof modelInfo>;

/** The limit of the admin API. The common format has none. */
const weight = z
  .int()
  .nonnegative()
  .max(weightMax, { error: ({ input }) => `must be at most ${weightMax}, was ${String(input)}` });

/** An entry of model_list. */
export const deployment = z.object({
  model_name: name,
  litellm_params: z
    .looseObject({
      model: text.pipe(upstreamModelField),
      api_base: address.nullish(),
      base_url: address.nullish(),
      ...endpoint,
      default_max_tokens: tokensField.nullish(),
      max_tokens: foreignTokens,
      timeout: seconds.nullish(),
      weight: weight.nullish(),
    })
    .superRefine(checkPrices),
  model_info: modelInfo.nullish(),
});

/** A null cap means no cap. */
export const fileLimits = z
  .looseObject({
    requests_per_min: perMinuteField.nullish(),
    tokens_per_min: perMinuteField.nullish(),
  })
  .refine((limits) => (limits.requests_per_min ?? limits.tokens_per_min ?? null) !== null, {
    error: 'needs requests_per_min or tokens_per_min',
  });

export const fileBudget = z
  .looseObject({
    tokens_total: budgetField.nullish(),
    cost_total_micros: budgetField.nullish(),
    ...fileWindowShape,
    tokens_used: spentField.default(0),
  })
  .refine((budget) => (budget.tokens_total ?? budget.cost_total_micros ?? null) !== null, {
    error: 'needs tokens_total or cost_total_micros',
  })
  .refine(windowsAgree, disagreeing)
  .transform(withWindow);

/** Either the key or its SHA-256, which is all that an export has. */
const keyFields = {
  key: text.pipe(z.string().min(1)).nullish(),
  key_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
    .nullish(),
  prefix: shownText(20).nullish(),
  name: name.nullish(),
  expires_at: timestampField.nullish(),
};

/** Its role is named `import:<name>`. */
const keyNameField = text.pipe(namingText(193));

const fileKey = z.looseObject({
  ...keyFields,
  name: keyNameField.nullish(),
  models: z.array(name).nullish(),
  limits: fileLimits.nullish(),
  budget: fileBudget.nullish(),
});
export type RawKey = z.output<typeof fileKey>;

const namesByName = z.array(z.record(z.string(), z.array(text)));
const routing = z.looseObject({
  fallbacks: namesByName.nullish(),
  default_fallbacks: z.array(text).nullish(),
  model_group_alias: z
    .record(
      modelNameField,
      z.union([text, z.looseObject({ model: text }).transform(({ model }) => model)]),
    )
    .nullish(),
});

const provider = z.strictObject({
  name,
  kind: z.enum(['static', 'cloud']).default('static'),
  catalogue_key: shownText(100).nullish(),
  api_base: address,
  ...endpoint,
});
export type RawProvider = z.output<typeof provider>;

/** A model without a provider. The others are in model_list. */
export const bareModel = z.strictObject({
  name: text.pipe(modelNameField),
  description,
  ...shapeOf(modelFields, 'file'),
  ...flowControl,
});

const principal = z.strictObject({
  name,
  kind: z.enum(['service_account', 'user']).default('service_account'),
  roles: z.array(text).default([]),
  limits: fileLimits.nullish(),
  budget: fileBudget.nullish(),
  keys: z.array(z.strictObject(keyFields)).default([]),
});

const serviceBlock = z.looseObject({
  ...tuningFields,
  fallback_model: optionalText,
  providers: z.array(provider).default([]),
  models: z.array(bareModel).default([]),
  principals: z.array(principal).default([]),
  ...recordLists,
});

export const configFile = z.looseObject({
  /** Each entry is a `deployment`, which is validated separately. */
  model_list: z.array(z.unknown()).nullish(),
  router_settings: routing.nullish(),
  litellm_settings: routing.nullish(),
  general_settings: z.looseObject({ master_key: optionalText }).nullish(),
  auth: z.looseObject({ keys: z.array(fileKey).nullish() }).nullish(),
  gw: serviceBlock.nullish(),
  fastllm: serviceBlock.nullish(),
});
export type ConfigFile = z.output<typeof configFile>;
export type ServiceBlock = z.output<typeof serviceBlock>;
