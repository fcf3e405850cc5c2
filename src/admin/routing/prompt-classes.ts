// Prompt classes and their examples (specification, "Prompt class").

import { z } from 'zod';

import { minMargin } from '../../../events/prompt-class.ts';
import type { StoredExample } from '../../../events/prompt-class.ts';
import { countRows } from '../../../projections/tables/page.ts';
import {
  countPromptExamples,
  listPromptClasses,
  listPromptExamples,
  promptClasses,
} from '../../../projections/tables/prompt-classes.ts';
import type { Secret } from '../../db/vault.ts';
import { noPromptClass, storedExampleOf } from '../../deciders/prompt-class.ts';
import {
  descriptionField,
  exampleField,
  exampleLabelField,
  minMarginDefault,
  nameField,
  promptField,
} from '../../lib/fields.ts';
import type { ExampleInput } from '../../lib/fields.ts';
import { promptClassId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { promptClassTier } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { asOfQuery, pastState } from '../http/as-of.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { answerOne, answerPage, byId, byName, listQuery } from '../lists/page.ts';
import {
  exampleParams,
  exampleRecord,
  exampleRecordOf,
  exampleRowsIn,
  listedClass,
  listedExample,
  promptClassRecord,
  promptClassRecordIn,
  promptClassRowIn,
  promptClassRowsIn,
} from './prompt-class-record.ts';
import { none, route } from '../http/route.ts';

/** Each is sealed under the log lock; more are added one by one. */
const createdExamplesMax = 200;
const refinesMax = 100;

const refinesField = z.array(nameField).max(refinesMax);

const params = idIn(promptClassId);
const config = { permission: 'config:write', query: none } as const;
const reading = { method: 'GET', permission: 'usage:read', body: none } as const;

export const promptClassRoutes = [
  route({
    ...reading,
    path: '/admin/prompt-classes',
    operation: 'listPromptClasses',
    summary: 'The prompt classes, with the number of their examples and whether they are routable',
    refusals: [],
    params: none,
    query: listQuery(promptClassRecord),
    response: z.array(promptClassRecord),
    handle: ({ query }, call) =>
      answerPage(call, query, {
        record: promptClassRecord,
        ...byName,
        rows: (page) => listPromptClasses(call.control.db, page),
        total: () => countRows(call.control.db, promptClasses),
        rowsIn: promptClassRowsIn,
        toBody: (rows) => rows.map((row) => listedClass(row, call.control.encoders)),
      }),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/prompt-classes',
    operation: 'createPromptClass',
    summary: 'Create a prompt class; a prompt that is given twice is one example',
    refusals: ['conflict'],
    params: none,
    body: z.strictObject({
      name: nameField,
      description: descriptionField.default(null),
      tier: promptClassTier.default('fast'),
      min_margin: minMargin.default(minMarginDefault),
      refines: refinesField.default([]),
      examples: z.array(exampleField).max(createdExamplesMax).default([]),
    }),
    response: promptClassRecord,
    handle: ({ body }, call) => {
      const { min_margin: minMargin, examples: given, ...rest } = body;
      const hidden = given.map((one) => hide(call.control, one));
      const examples = hidden.map(({ example }) => example);
      const command = { type: 'CreatePromptClass', ...rest, minMargin, examples } as const;
      const secrets = hidden.map(({ secret }) => secret);
      return mutate(call, { command, secrets }, (outcome) =>
        promptClassRecordIn(
          outcome.state,
          idOf(outcome, 'PromptClassCreated'),
          call.control.encoders,
        ),
      );
    },
  }),
  route({
    ...reading,
    path: '/admin/prompt-classes/{id}',
    operation: 'getPromptClass',
    summary: 'One prompt class',
    refusals: ['absent'],
    params,
    query: asOfQuery,
    response: promptClassRecord,
    handle: ({ params: { id }, query }, call) =>
      answerOne(call, query, {
        rowIn: (state) => (state.prompt_class.byId.has(id) ? promptClassRowIn(state, id) : null),
        toBody: (rows) => rows.map((row) => listedClass(row, call.control.encoders)),
        absent: noPromptClass(id),
      }),
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/prompt-classes/{id}',
    operation: 'updatePromptClass',
    summary: 'Change a prompt class; its examples stay',
    refusals: ['absent', 'conflict'],
    params,
    body: z.strictObject({
      name: nameField.optional(),
      description: descriptionField.optional(),
      tier: promptClassTier.optional(),
      min_margin: minMargin.optional(),
      refines: refinesField.optional(),
    }),
    response: promptClassRecord,
    handle: ({ params: { id }, body }, call) => {
      const { name, description, tier, min_margin: minMargin, refines } = body;
      const change = { name, description, tier, minMargin, refines };
      const command = { type: 'UpdatePromptClass', id, ...change } as const;
      const { encoders } = call.control;
      return mutate(call, { command }, ({ state }) => promptClassRecordIn(state, id, encoders));
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/prompt-classes/{id}',
    operation: 'deletePromptClass',
    summary: 'Delete a prompt class with its examples and all that says which classes refine it',
    refusals: ['absent'],
    params,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeletePromptClass', id } }, () => ({ id })),
  }),
  route({
    ...reading,
    path: '/admin/prompt-classes/{id}/examples',
    operation: 'listPromptExamples',
    summary: 'The examples of a class, without their texts',
    refusals: ['absent'],
    params,
    query: listQuery(exampleRecord),
    response: z.array(exampleRecord),
    handle: async ({ params: { id }, query }, call) => {
      const { db, state, refresh } = call.control;
      await refresh();
      const past = await pastState(call, query);
      if (isRefusal(past)) return past;
      if (!(past ?? state()).prompt_class.byId.has(id)) return noPromptClass(id);
      return answerPage(call, query, {
        record: exampleRecord,
        ...byId,
        rows: (page) => listPromptExamples(db, id, page),
        total: () => countPromptExamples(db, id),
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
    summary: 'Add an example prompt; one that the class has already is no change',
    refusals: ['absent'],
    params,
    body: z.strictObject({
      prompt: promptField,
      label: exampleLabelField.nullable().default(null),
    }),
    response: exampleRecord,
    handle: ({ params: { id }, body }, call) => {
      const { example, secret } = hide(call.control, body);
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
    summary: 'Remove one example',
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

type Hidden = Readonly<{ example: StoredExample; secret: Secret }>;

/** A prompt may hold personal data: it goes into the vault, and the log gets its ref and its label. */
function hide(
  { vault, newId }: Pick<Control, 'vault' | 'newId'>,
  { prompt: plaintext, label }: ExampleInput,
): Hidden {
  const ref = newId();
  return {
    example: storedExampleOf(label, { ref, fingerprint: vault.fingerprint(plaintext) }),
    secret: { ref, class: 'example', plaintext },
  };
}
