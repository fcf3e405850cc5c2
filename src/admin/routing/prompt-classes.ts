// Serves prompt classes and their examples (specification, "Prompt class").

import { z } from 'zod';

import { minMargin } from '../../../events/prompt-class.ts';
import { absent } from '../../../projections/config/find.ts';
import {
  listPromptClasses,
  listPromptExamples,
} from '../../../projections/tables/prompt-classes.ts';
import { hiddenExample } from '../../control/prompt-classes/examples.ts';
import {
  descriptionField,
  exampleField,
  exampleLabelField,
  minMarginDefault,
  nameField,
  promptField,
} from '../../lib/fields.ts';
import { promptClassId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { promptClassTier } from '../../lib/vocabulary.ts';
import { pastState } from '../http/as-of.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { mutate, written } from '../http/mutation.ts';
import { answerPage, byId, byName, listQuery } from '../lists/page.ts';
import {
  exampleParams,
  exampleRecord,
  exampleRecordOf,
  exampleRowsIn,
  listedClass,
  listedExample,
  promptClassRecord,
  promptClassRowIn,
} from './prompt-class-record.ts';
import { recordRoutes } from '../lists/changes.ts';
import type { RoutingNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Few, because each example is encrypted under the log lock. More can be added one by one. */
const createdExamplesMax = 200;
const refinesMax = 100;

const refinesField = z.array(nameField).max(refinesMax);

const params = idIn(promptClassId);
const config = { permission: 'config:write', query: none } as const;
const reading = { method: 'GET', permission: 'usage:read', body: none } as const;

export const promptClassRoutes = [
  ...recordRoutes({
    noun: 'prompt_class',
    path: '/admin/prompt-classes',
    called: ['PromptClass', 'PromptClasses'],
    summaries: {
      list: 'List prompt classes with their number of examples and whether they are routable',
      one: 'Get a prompt class',
      create: 'Create a prompt class; a repeated prompt becomes one example',
      change: 'Update a prompt class; its examples are kept',
      delete: 'Delete a prompt class with its examples and its links to refined classes',
    },
    id: promptClassId,
    record: promptClassRecord,
    order: byName,
    rows: listPromptClasses,
    rowIn: promptClassRowIn,
    toBody: (rows, { encoders }: RoutingNeeds) => rows.map((row) => listedClass(row, encoders)),
    create: {
      body: z.strictObject({
        name: nameField,
        description: descriptionField.default(null),
        tier: promptClassTier.default('fast'),
        min_margin: minMargin.default(minMarginDefault),
        refines: refinesField.default([]),
        examples: z.array(exampleField).max(createdExamplesMax).default([]),
      }),
      event: 'PromptClassCreated',
      mutation: (
        { min_margin: minMargin, examples: given, ...rest },
        _call,
        needs: RoutingNeeds,
      ) => {
        const hidden = given.map((one) => hiddenExample(needs, one));
        const examples = hidden.map(({ example }) => example);
        return {
          command: { type: 'CreatePromptClass', ...rest, minMargin, examples },
          secrets: hidden.map(({ secret }) => secret),
        };
      },
    },
    change: {
      body: z.strictObject({
        name: nameField.optional(),
        description: descriptionField.optional(),
        tier: promptClassTier.optional(),
        min_margin: minMargin.optional(),
        refines: refinesField.optional(),
      }),
      mutation: ({ id, given: { name, description, tier, min_margin: minMargin, refines } }) => {
        const change = { name, description, tier, minMargin, refines };
        return { command: { type: 'UpdatePromptClass', id, ...change } };
      },
    },
    delete: { command: (id) => ({ type: 'DeletePromptClass', id }) },
  }),
  route({
    ...reading,
    path: '/admin/prompt-classes/{id}/examples',
    operation: 'listPromptExamples',
    summary: 'List the examples of a class, without their texts',
    refusals: ['absent'],
    params,
    query: listQuery(exampleRecord),
    response: z.array(exampleRecord),
    handle: async ({ params: { id }, query }, call, { db }: RoutingNeeds) => {
      const { state, refresh } = call.config;
      await refresh();
      const past = await pastState(call, query);
      if (isRefusal(past)) return past;
      if (!(past ?? state()).prompt_class.byId.has(id)) return absent('prompt_class', id);
      return answerPage(call, query, {
        record: exampleRecord,
        ...byId,
        rows: (page) => listPromptExamples(db, id, page),
        total: (held) => exampleRowsIn(held, id).length,
        rowsIn: (held) => exampleRowsIn(held, id),
        toBody: (rows) => rows.map(listedExample),
      });
    },
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/prompt-classes/{id}/examples',
    operation: 'addPromptExample',
    summary: 'Add an example prompt; has no effect if the class already has it',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      prompt: promptField,
      label: exampleLabelField.nullable().default(null),
    }),
    response: exampleRecord,
    handle: ({ params: { id }, body }, call, needs: RoutingNeeds) => {
      const { example, secret } = hiddenExample(needs, body);
      const command = { type: 'AddPromptExample', id, example } as const;
      return mutate(call, { command, secrets: [secret] }, ({ state }) => {
        const { examples } = written(state.prompt_class, id);
        const held = examples.find(({ fingerprint }) => fingerprint === example.fingerprint);
        if (held === undefined) throw new Error(`class ${id} lacks the example just added`);
        return exampleRecordOf(id, held);
      });
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/prompt-classes/{id}/examples/{example_id}',
    operation: 'removePromptExample',
    summary: 'Remove an example',
    refusals: ['absent'],
    params: exampleParams,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id, example_id: exampleId } }, call) => {
      const command = { type: 'RemovePromptExample', id, exampleId } as const;
      return mutate(call, { command }, () => ({ id: exampleId }));
    },
  }),
] as const;
