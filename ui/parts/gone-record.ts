// Shown for the address of a deleted record: who deleted it and when, with links to its last version and its restore.

import { css, html, nothing } from 'lit';

import { element, text } from '../elements/element.ts';
import { getCommandAt, listEvents } from '../api/history.ts';
import '../elements/error.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/time.ts';
import { kindLabel, placeOfStream, streamWords } from '../lib/history/history.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo } from '../state/location.ts';
import { may } from '../state/session.ts';
import { base, buttons } from '../styles/base.ts';

/** The last event of the record. A deletion can be followed by events of other records. */
const deletion = /Deleted$/u;

class GwGoneRecord extends element({
  /** `<kind>-<id>`. */
  stream: text(''),
}) {
  static override styles = [
    base,
    buttons,
    css`
      .acts {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-top: var(--space-4);
      }
    `,
  ];
  readonly #last = new Resource(this, async (signal) => {
    const { stream } = this;
    const { body } = await listEvents({ stream, limit: 20 }, signal);
    const last = body.find(({ type }) => deletion.test(type)) ?? null;
    const command = last === null ? null : await getCommandAt(last.position, signal);
    return { last, command, name: command?.subject?.name ?? streamWords(stream) };
  });

  protected override render() {
    const { value, failure } = this.#last;
    if (failure !== null) return html`<gw-error .failure=${failure}></gw-error>`;
    if (value === undefined) return nothing;
    const { last, command, name } = value;
    if (last === null) {
      const [kind = '', id = ''] = this.stream.split('-');
      return html`<p role="status">${kindLabel(kind)} ${id} does not exist.</p>`;
    }
    const before = (command?.first_position ?? last.position) - 1;
    const target = placeOfStream(this.stream);
    return html`<p role="status">
        <strong>${name}</strong> was deleted by ${command?.actor_name ?? last.actor.kind}
        <gw-time at=${last.recorded_at}></gw-time> (position ${last.position}).
      </p>
      <p class="acts">
        ${
          target === null
            ? nothing
            : html`<a class="button" href=${linkTo({ ...target, query: { as_of: String(before) } })}
                >Open as of ${before}</a
              >`
        }
        ${
          may('config:write') && !isReadOnly()
            ? html`<a
                class="button"
                href=${linkTo({
                  screen: 'history',
                  rest: ['restore', String(before)],
                  query: { only: this.stream },
                })}
                >Restore…</a
              >`
            : nothing
        }
        <a class="button plain" href=${linkTo({ screen: 'history', rest: [String(command?.id)] })}
          >View change</a
        >
      </p>`;
  }
}

customElements.define('gw-gone-record', GwGoneRecord);
