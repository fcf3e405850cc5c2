// Draws the turns of a chat and the outcome of the last message.

import { html, nothing } from 'lit';

import { asFailure } from '../../../ui/api/http/failure.ts';
import '../../../ui/elements/error.ts';
import '../../../ui/elements/icon.ts';
import type { ChatAnswer } from './chat-answer.ts';
import type { Turn } from './chat-turns.ts';
import type { Chat } from './chat.ts';
import './outcome.ts';

export function talkOf({
  turns,
  answer,
  timing,
  isAsking,
}: Pick<Chat, 'turns' | 'answer' | 'timing' | 'isAsking'>) {
  return html`<section class="card" aria-label="Answer">
    ${
      turns.length === 0
        ? html`<div class="blank">
            <gw-icon name="send"></gw-icon>
            <p>The response streams here, with the routing decision.</p>
          </div>`
        : html`${turns.map((turn) => drawnTurn(turn))} ${lastTurn(answer, isAsking)}
            <gw-playground-outcome
              .answer=${isAsking ? answer : { ...answer, isWhole: true }}
              .timing=${timing}
            ></gw-playground-outcome>`
    }
  </section>`;
}

function drawnTurn({ role, content }: Turn) {
  return html`<div class="turn ${role}">
    <h2>${role === 'user' ? 'You' : 'Model'}</h2>
    <span class="said">${content}</span>
  </div>`;
}

/** The current or last response. */
function lastTurn({ text, reasoning, error }: ChatAnswer, waits: boolean) {
  return html`<div class="turn" aria-live="polite" aria-busy=${waits ? 'true' : 'false'}>
      <h2>Model</h2>
      ${reasoning === '' ? nothing : html`<div class="reasoning">${reasoning}</div>`}<span
        class="said ${waits ? 'waits' : ''}"
        >${text}</span
      >
    </div>
    ${error === null ? nothing : html`<gw-error .failure=${asFailure(new Error(error))}></gw-error>`}`;
}
