// Defines the form of a prompt class. A new class gets its first examples here.

import type { PromptClass } from '../../api/records.ts';
import { choicesOf } from '../../lib/page/choices.ts';
import {
  blankClass,
  classBody,
  classChange,
  fromClass,
  readExamples,
  wrongExamples,
} from '../../lib/routing/class-draft.ts';
import type { ClassDraft } from '../../lib/routing/class-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { examplesField, labelsField, pastedHint } from './examples-field.ts';
import { classCreation, classUpdate } from './saves.ts';

const tiers = [
  { value: 'fast', label: 'Fast (in process, for every prompt)' },
  { value: 'refined', label: 'Refined (sentence encoder, after the fast tier)' },
];

/** `refinable` are the names of classes that can be refined. */
export const classForm = (row: PromptClass | null, refinable: readonly string[]) =>
  recordForm<ClassDraft>({
    isNew: row === null,
    draft: row === null ? blankClass : fromClass(row),
    fields: (draft) => [
      { name: 'name', label: 'Name', hint: 'Used in rules', required: true, mono: true },
      { name: 'description', label: 'Description' },
      { name: 'tier', label: 'Tier', type: 'select', required: true, choices: tiers },
      draft.tier === 'refined'
        ? {
            name: 'refines',
            label: 'Refines',
            type: 'picks',
            hint: 'Fast classes whose prompts this class can take over',
            placeholder: 'Prompt class',
            options: choicesOf(refinable),
          }
        : null,
      {
        name: 'min_margin',
        label: 'Margin',
        hint: 'Required lead over the next class, from 0 to 2. A higher margin gives more precision and less recall',
        required: true,
      },
      row === null ? firstExamples(draft) : null,
      row === null ? labelsField : null,
    ],
    save: (draft) => {
      if (row !== null) return whenRead(classChange(draft, row), (body) => classUpdate(row, body));
      const wrong = wrongExamples(draft);
      if (wrong !== null) return wrong;
      return whenRead(classBody(draft), (body) => classCreation(body, readExamples(draft)));
    },
  });

function firstExamples(draft: ClassDraft) {
  const isEmpty = draft.examples.trim() === '';
  const count = formatCount(readExamples(draft).length, 'prompt');
  const counted = isEmpty ? 'Use at least 20 varied prompts' : count;
  const hint = `${counted}. ${pastedHint}. The texts are encrypted and never shown`;
  return { ...examplesField, hint };
}
