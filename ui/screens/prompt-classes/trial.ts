// Classifies a prompt like the gateway would.

import { css, html, nothing } from 'lit';

import { element, state } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import { asFailure } from '../../api/http/failure.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import '../../elements/form/field.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import { base, buttons } from '../../styles/base.ts';

/** A dry run needs a model, but the class of a prompt does not depend on it. */
const anyModel = 'prompt-class-trial';

class GwClassTrial extends element({
  prompt: state(''),
  /** Undefined before the first test; null if the prompt has no class. */
  found: state<string | null | undefined>(undefined),
  busy: state(false),
  failure: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    css`
      section {
        display: grid;
        gap: var(--space-3);
        max-width: 44rem;
        margin-top: var(--space-5);
        padding: var(--space-4);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
        box-shadow: var(--shadow-1);
      }

      .act {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-3);
      }
    `,
  ];

  protected override render() {
    return html`<section aria-label="Test a prompt">
      <gw-field
        name="prompt"
        label="Test a prompt"
        type="textarea"
        placeholder="A prompt as a user would write it"
        hint="Not stored"
        unmarked
        .value=${this.prompt}
        @gw-input=${this.#onInput}
      ></gw-field>
      <div class="act">
        <button
          type="button"
          ?disabled=${this.busy || this.prompt.trim() === ''}
          @click=${this.#ask}
        >
          Classify
        </button>
        <span role="status">${this.#answer()}</span>
      </div>
      ${this.failure === null ? nothing : html`<gw-error .failure=${this.failure}></gw-error>`}
    </section>`;
  }

  #answer() {
    const { found } = this;
    if (found === undefined) return nothing;
    if (found === null) {
      return html`<gw-badge tone="warn">no class</gw-badge> The prompt is not clearly closer to one
        class than to the next. Rules with a class condition do not match.`;
    }
    return html`<gw-badge tone="good">${found}</gw-badge>`;
  }

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    this.prompt = detail.value;
    this.found = undefined;
  };

  readonly #ask = async (): Promise<void> => {
    this.busy = true;
    this.failure = null;
    try {
      const { prompt } = this;
      const { body } = await call('POST', '/admin/routing/dry-run', {
        body: { model: anyModel, prompt },
      });
      this.found = body.class;
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  };
}

customElements.define('gw-class-trial', GwClassTrial);
