// What can be done to prompt classes and their examples, each as a save. The texts of examples are not among what is shown.

import { call } from '../../api/http/call.ts';
import type { PromptClass } from '../../api/records.ts';
import { applyCalls } from '../../api/change-sets.ts';
import type { ClassBody, PastedExample } from '../../lib/routing/class-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

export const classCreation = (body: ClassBody, examples: readonly PastedExample[]): Save => ({
  heading: `Add ${body.name}`,
  verb: 'Add class',
  done: `Prompt class ${body.name} added`,
  before: {},
  after: { ...body, examples: examples.length },
  opens: theMade,
  run: (change) =>
    call('POST', '/admin/prompt-classes', {
      body: { ...body, examples: [...examples] },
      ...change,
    }),
});

export const classUpdate = (one: PromptClass, body: Partial<ClassBody>): Save => ({
  heading: `Change ${one.name}`,
  verb: 'Publish change',
  done: `Prompt class ${one.name} changed`,
  before: { ...one },
  after: body,
  opens: () => [one.id],
  run: (change) =>
    call('PATCH', '/admin/prompt-classes/{id}', {
      params: { id: one.id },
      body,
      version: one.version,
      ...change,
    }),
});

/** All of them at one version, so that proxies make their centroids once. */
export function examplesAddition(one: PromptClass, examples: readonly PastedExample[]): Save {
  const count = formatCount(examples.length, 'example');
  const path = `/admin/prompt-classes/${one.id}/examples`;
  const calls = examples.map((body) => ({ method: 'POST' as const, path, body }));
  return {
    heading: `Add ${count} to ${one.name}`,
    verb: `Add ${count}`,
    done: `${count} added to ${one.name}`,
    before: { examples: one.examples },
    after: { examples: one.examples + examples.length },
    opens: () => [one.id],
    run: (change) => applyCalls(calls, { ...change, said: `${count} added to ${one.name}` }),
  };
}

export const exampleRemoval = (one: PromptClass, exampleId: number): Save => ({
  heading: `Remove example ${exampleId} of ${one.name}`,
  verb: 'Remove example',
  done: `Example ${exampleId} removed from ${one.name}`,
  before: { examples: one.examples },
  after: { examples: one.examples - 1 },
  opens: () => [one.id],
  run: (change) =>
    call('DELETE', '/admin/prompt-classes/{id}/examples/{example_id}', {
      params: { id: one.id, example_id: exampleId },
      version: one.version,
      ...change,
    }),
});

export const classDeletion = (one: PromptClass): Save => ({
  heading: `Delete ${one.name}`,
  verb: 'Delete class',
  done: `Prompt class ${one.name} deleted`,
  before: null,
  after: null,
  danger: true,
  name: one.name,
  opens: theList,
  run: (change) =>
    call('DELETE', '/admin/prompt-classes/{id}', {
      params: { id: one.id },
      version: one.version,
      ...change,
    }),
});
