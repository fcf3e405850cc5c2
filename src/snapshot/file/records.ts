// Defines the records of the service block: roles, pools, frontend models with rules, prompt
// classes. Field names are those of the admin API. References use names.

import { z } from 'zod';

import { fileShape } from '../../conditions/schemas.ts';
import { crossedBounds } from '../../conditions/values.ts';
import { tokensField, weightField } from '../../lib/amounts.ts';
import {
  denyMessageField,
  exampleField,
  minMarginDefault,
  modelNameField,
  nameField,
  resourceField,
  roleNameField,
  ruleNameField,
  tagField,
} from '../../lib/fields.ts';
import { poolPolicy, promptClassTier, ruleAction, verb } from '../../lib/vocabulary.ts';
import { description, text } from './text.ts';

const name = text.pipe(nameField);
const modelName = text.pipe(modelNameField);
const names = z.array(name).default([]);

const role = z.strictObject({
  name: text.pipe(roleNameField),
  description,
  permissions: z.array(z.strictObject({ verb, resource: resourceField })).default([]),
});

export const member = z.union([
  name.transform((model) => ({ model, weight: 1 })),
  z.strictObject({ model: name, weight: weightField.default(1) }),
]);

const pool = z.strictObject({
  name: modelName,
  description,
  policy: poolPolicy.nullish(),
  members: z.array(member).default([]),
});

/** References are names, and absent fields disable their condition. */
const conditions = {
  ...fileShape,
  principals: names,
  roles: names,
  class: name.nullish().transform((named) => named ?? null),
};

export const rule = z
  .strictObject({
    name: text.pipe(ruleNameField).nullish(),
    enabled: z.boolean().default(true),
    action: ruleAction.default('route'),
    targets: names,
    deny_status: z
      .int()
      .min(400, 'must be a 4xx status')
      .max(499, 'must be a 4xx status')
      .nullish(),
    deny_message: text.pipe(denyMessageField).nullish(),
    jump_to: name.nullish(),
    tag: text.pipe(tagField).nullish(),
    ...conditions,
  })
  .superRefine((given, context) => {
    const wrong = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (given.action === 'jump' && (given.jump_to ?? null) === null) {
      wrong('jump_to', 'is needed by action jump');
    }
    if (given.action !== 'jump' && (given.jump_to ?? null) !== null) {
      wrong('jump_to', `cannot be combined with action ${given.action}`);
    }
    if (given.action !== 'route' && given.targets.length > 0) {
      wrong('targets', `cannot be combined with action ${given.action}`);
    }
    for (const { low, high } of crossedBounds(given)) wrong(low, `is more than ${high}`);
  });
export type FileRule = Readonly<z.output<typeof rule>>;

const frontendModel = z.strictObject({
  name: modelName,
  description,
  max_model_len: tokensField.nullish(),
  rules: z.array(rule).default([]),
  default_targets: names,
});
export type FileFrontendModel = Readonly<z.output<typeof frontendModel>>;

const promptClass = z.strictObject({
  name,
  description,
  tier: promptClassTier.default('fast'),
  min_margin: z.number().min(0).max(2).default(minMarginDefault),
  refines: names,
  examples: z.array(exampleField).default([]),
});

export const recordLists = {
  roles: z.array(role).default([]),
  pools: z.array(pool).default([]),
  frontend_models: z.array(frontendModel).default([]),
  prompt_classes: z.array(promptClass).default([]),
};

export type FileRole = Readonly<z.output<typeof role>>;
export type FilePool = Readonly<z.output<typeof pool>>;
export type FilePromptClass = Readonly<z.output<typeof promptClass>>;
