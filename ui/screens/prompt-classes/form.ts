// The form of a prompt class, for a new one with its first examples and for one that is there.

import { html, nothing } from 'lit';

import type { PromptClass } from '../../api/prompt-classes.ts';
import '../../elements/picks.ts';
import {
  blankClass,
  classBody,
  classChange,
  createdMax,
  fromClass,
  readPrompts,
  wrongPrompts,
} from '../../lib/class-draft.ts';
import type { ClassDraft } from '../../lib/class-draft.ts';
import { formatCount } from '../../lib/format.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { examplesStyles } from './examples-styles.ts';
import { classCreation, classUpdate } from './saves.ts';

const tiers = [
  { value: 'fast', label: 'Fast: in the process, for every prompt' },
  { value: 'refined', label: 'Refined: a sentence encoder, among classes that refine another' },
];

export class GwClassForm extends RecordForm<PromptClass | null, ClassDraft> {
  static override properties = { ...RecordForm.properties, refinable: { attribute: false } };
  static override styles = [RecordForm.styles, examplesStyles].flat();
  /** Names of classes that another can refine. */
  declare refinable: readonly string[];

  constructor() {
    super();
    this.row = null;
    this.refinable = [];
  }

  protected override draftOf(row: PromptClass | null): ClassDraft {
    return row === null ? blankClass : fromClass(row);
  }

  protected override fields(draft: ClassDraft, row: PromptClass | null) {
    return html`<gw-field
        name="name"
        label="Name"
        hint="What rules call it"
        required
        mono
        .value=${draft.name}
      ></gw-field>
      <gw-field name="description" label="Description" .value=${draft.description}></gw-field>
      <gw-field
        name="tier"
        label="Tier"
        type="select"
        required
        .choices=${tiers}
        .value=${draft.tier}
      ></gw-field>
      ${
        draft.tier === 'refined'
          ? html`<gw-picks
              name="refines"
              label="Refines"
              hint="Classes of tier fast whose prompts it contends for"
              placeholder="Name of a class"
              .options=${this.refinable.map((name) => ({ value: name, label: name }))}
              .value=${draft.refines}
            ></gw-picks>`
          : nothing
      }
      <gw-field
        name="min_margin"
        label="Margin"
        hint="How much nearer than to the next class a prompt must be, from 0 to 2: higher is surer, and passes more by"
        required
        .value=${draft.min_margin}
      ></gw-field>
      ${row === null ? this.#examples(draft) : nothing}`;
  }

  #examples({ examples }: ClassDraft) {
    const isEmpty = examples.trim() === '';
    const count = formatCount(readPrompts(examples).length, 'prompt');
    const counted = isEmpty ? 'Twenty or more, as different as real prompts are' : count;
    const kept = 'They are kept encrypted and shown to nobody';
    return html`<gw-field
      class="examples"
      name="examples"
      label="Examples"
      type="textarea"
      placeholder="Paste prompts here, one a line"
      hint="${counted}. With blank lines between them, a prompt may have several lines. ${kept}"
      .value=${examples}
    ></gw-field>`;
  }

  protected override saveOf(draft: ClassDraft, row: PromptClass | null) {
    if (row !== null) {
      const read = classChange(draft, row);
      return 'wrong' in read ? read : classUpdate(row, read.body);
    }
    const prompts = readPrompts(draft.examples);
    const wrong = wrongPrompts(prompts, 'examples', createdMax);
    if (wrong !== null) return wrong;
    const read = classBody(draft);
    return 'wrong' in read ? read : classCreation(read.body, prompts);
  }
}

customElements.define('gw-class-form', GwClassForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-class-form': GwClassForm;
  }
}
