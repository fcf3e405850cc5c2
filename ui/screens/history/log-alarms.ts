// Draws the integrity alarms of the log, with their explanation if there is one.

import { html, nothing } from 'lit';

import type { LogHead } from '../../api/log.ts';
import '../../elements/time.ts';
import { linkTo } from '../../state/location.ts';

export function logAlarms({ alarms }: LogHead) {
  return alarms.map(
    (one) =>
      html`<div class="notice ${one.explained_by_epoch === null ? 'bad' : 'warn'}" role="alert">
        <strong
          >${
            one.explained_by_epoch === null
              ? 'The log does not match what gw published before.'
              : `Explained by the data loss before epoch ${one.explained_by_epoch} of the log.`
          }</strong
        >
        <p>
          <gw-time absolute at=${one.at}></gw-time>, position
          <a href=${linkTo({ screen: 'history', rest: ['events', one.position] })}
            >${one.position}</a
          >: ${one.problem}
        </p>
        ${
          one.replica === null
            ? nothing
            : html`<p>
                Replica <code>${one.replica}</code> saw <code>${one.seen_hash}</code>. The log has
                ${one.log_hash === null ? 'no event' : html`<code>${one.log_hash}</code>`} at this
                position.
              </p>`
        }
      </div>`,
  );
}
