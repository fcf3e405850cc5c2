// The form by which a prompt class gets more examples: many at once, as they are pasted.

import { html } from 'lit';

import type { PromptClass } from '../../api/prompt-classes.ts';
import { readPrompts, wrongPrompts } from '../../lib/class-draft.ts';
import { formatCount } from '../../lib/format.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { examplesField, examplesStyles, pastedHint } from './examples-field.ts';
import { examplesAddition } from './saves.ts';

type Draft = Readonly<{ examples: string }>;

/** As many calls as one change takes. */
const addedMax = 100;

export class GwExamplesForm extends RecordForm<PromptClass, Draft> {
  static override styles = [RecordForm.styles, examplesStyles].flat();
  protected override draftOf(): Draft {
    return { examples: '' };
  }

  protected override lead() {
    return html`<p class="notice">
      The texts go into the vault and are shown to nobody. What the class has already is no change.
    </p>`;
  }

  protected override fields({ examples }: Draft): readonly FormRow<Draft>[] {
    const count = readPrompts(examples).length;
    const counted = count === 0 ? `At most ${addedMax} at once` : formatCount(count, 'prompt');
    return [{ ...examplesField, hint: `${counted}. ${pastedHint}`, required: true }];
  }

  protected override saveOf({ examples }: Draft, one: PromptClass) {
    const prompts = readPrompts(examples);
    return wrongPrompts(prompts, 'examples', addedMax) ?? examplesAddition(one, prompts);
  }
}

customElements.define('gw-examples-form', GwExamplesForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-examples-form': GwExamplesForm;
  }
}
