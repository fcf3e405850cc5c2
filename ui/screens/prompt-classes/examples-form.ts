// The form by which a prompt class gets more examples: many at once, as they are pasted.

import { html } from 'lit';

import type { PromptClass } from '../../api/records.ts';
import { readExamples, wrongExamples } from '../../lib/routing/class-draft.ts';
import { formatCount } from '../../lib/text/format.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { examplesField, examplesStyles, labelsField, pastedHint } from './examples-field.ts';
import { examplesAddition } from './saves.ts';

type Draft = Readonly<{ examples: string; labels: string }>;

/** As many calls as one change takes. */
const addedMax = 100;

class GwExamplesForm extends RecordForm<PromptClass, Draft> {
  static override styles = [RecordForm.styles, examplesStyles].flat();
  protected override draftOf(): Draft {
    return { examples: '', labels: '' };
  }

  protected override lead() {
    return html`<p class="notice">
      The texts are encrypted and never shown. An example that the class already has is skipped and
      keeps its label.
    </p>`;
  }

  protected override fields(draft: Draft): readonly FormRow<Draft>[] {
    const count = readExamples(draft).length;
    const counted = count === 0 ? `At most ${addedMax} at once` : formatCount(count, 'prompt');
    const hint = `${counted}. ${pastedHint}`;
    return [{ ...examplesField, hint, required: true }, labelsField];
  }

  protected override saveOf(draft: Draft, one: PromptClass) {
    return wrongExamples(draft, addedMax) ?? examplesAddition(one, readExamples(draft));
  }
}

customElements.define('gw-examples-form', GwExamplesForm);
