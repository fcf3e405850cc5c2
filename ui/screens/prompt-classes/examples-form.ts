// Defines the form that adds examples to a prompt class.

import { html } from 'lit';

import type { PromptClass } from '../../api/records.ts';
import { readExamples, wrongExamples } from '../../lib/routing/class-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import { examplesField, labelsField, pastedHint } from './examples-field.ts';
import { examplesAddition } from './saves.ts';

/** Per change. */
const addedMax = 100;

export const examplesForm = (one: PromptClass) =>
  recordForm({
    draft: { examples: '', labels: '' },
    lead: html`<p class="notice">
      The texts are encrypted and never shown. Duplicate examples are skipped and keep their labels.
    </p>`,
    fields: (draft) => {
      const count = readExamples(draft).length;
      const counted = count === 0 ? `At most ${addedMax} at once` : formatCount(count, 'prompt');
      const hint = `${counted}. ${pastedHint}`;
      return [{ ...examplesField, hint, required: true }, labelsField];
    },
    save: (draft) => wrongExamples(draft, addedMax) ?? examplesAddition(one, readExamples(draft)),
  });
