// Draws the list of keyboard shortcuts.

import { html } from 'lit';

import '../elements/overlay/dialog.ts';
import { screensFor } from '../screens.ts';
import { singleKeys } from '../state/preferences.ts';
import { may } from '../state/session.ts';

const anywhere: readonly (readonly [key: string, meaning: string])[] = [
  ['Ctrl K', 'Find anything'],
  ['/', 'Filter the table'],
  ['n', 'Notifications'],
  ['?', 'Keyboard shortcuts'],
];

/** Uses the styles of the frame. */
export function keysDialog({ isOpen, close }: Readonly<{ isOpen: boolean; close: () => void }>) {
  const goTo = screensFor(may).map(({ key, title }) => [`g ${key}`, title] as const);
  return html`<gw-dialog heading="Keyboard shortcuts" ?open=${isOpen} @gw-close=${close}>
    <dl class="keys">
      ${[...anywhere, ...goTo].map(
        ([key, meaning]) =>
          html`<div>
            <dt>${key}</dt>
            <dd>${meaning}</dd>
          </div>`,
      )}
    </dl>
    <label class="tick"
      ><input type="checkbox" .checked=${singleKeys.get() === 'on'} @change=${onTick} />Enable
      single-key shortcuts</label
    >
  </gw-dialog>`;
}

const onTick = ({ target }: Event): void => {
  if (target instanceof HTMLInputElement) singleKeys.set(target.checked ? 'on' : 'off');
};
