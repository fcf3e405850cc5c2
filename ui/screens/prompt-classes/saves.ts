// Builds the saves of prompt classes and examples. The texts of examples are not part of the diff.

import { calling } from '../../api/http/call.ts';
import type { PromptClass } from '../../api/records.ts';
import { applyCalls } from '../../api/change-sets.ts';
import type { ClassBody, PastedExample } from '../../lib/routing/class-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { additionOf, changeOf, deletionOf, seen } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';

const noun = 'prompt class';

export const classCreation = (body: ClassBody, examples: readonly PastedExample[]): Save =>
  additionOf(
    { noun, name: body.name },
    {
      verb: 'Create class',
      after: { ...body, examples: examples.length },
      run: calling('POST', '/admin/prompt-classes', {
        body: { ...body, examples: [...examples] },
      }),
    },
  );

export const classUpdate = (one: PromptClass, body: Partial<ClassBody>): Save =>
  changeOf(
    { noun, name: one.name },
    {
      before: { ...one },
      after: body,
      run: calling('PATCH', '/admin/prompt-classes/{id}', { ...seen(one), body }),
    },
  );

/** Adds all examples in one version, so that proxies compute centroids once. */
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
    run: (change) =>
      applyCalls(calls, { ...change, defaultReason: `${count} added to ${one.name}` }),
  };
}

export const exampleRemoval = (one: PromptClass, exampleId: number): Save => ({
  heading: `Remove example ${exampleId} of ${one.name}`,
  verb: 'Remove example',
  done: `Example ${exampleId} removed from ${one.name}`,
  before: { examples: one.examples },
  after: { examples: one.examples - 1 },
  opens: () => [one.id],
  run: calling('DELETE', '/admin/prompt-classes/{id}/examples/{example_id}', {
    params: { id: one.id, example_id: exampleId },
    version: one.version,
  }),
});

export const classDeletion = (one: PromptClass): Save =>
  deletionOf(
    { noun, name: one.name },
    { verb: 'Delete class', run: calling('DELETE', '/admin/prompt-classes/{id}', seen(one)) },
  );
