// What tells that the log is not what it was, or why that is explained.

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
              ? 'The log is not what it was.'
              : `The log began epoch ${one.explained_by_epoch} behind a loss, which explains this.`
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
                Seen by <code>${one.replica}</code>: <code>${one.seen_hash}</code>, where the log
                has ${one.log_hash === null ? 'no event' : html`<code>${one.log_hash}</code>`}
              </p>`
        }
      </div>`,
  );
}
