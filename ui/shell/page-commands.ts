// Runs the actions of the command palette that do not navigate.

import { copyText } from '../elements/copy-text.ts';
import type { PageCommand } from '../lib/page/palette.ts';
import { changeQuery } from '../state/location.ts';
import { theme, zone } from '../state/preferences.ts';
import { notify } from '../state/toasts.ts';

/** Callbacks of the frame. */
export type Opened = Readonly<{
  askMoment: () => void;
  showKeys: () => void;
  showNotices: () => void;
}>;

export function doDeed(
  pageCommand: PageCommand,
  { askMoment, showKeys, showNotices }: Opened,
): void {
  switch (pageCommand) {
    case 'theme-system':
      return theme.set('system');
    case 'theme-light':
      return theme.set('light');
    case 'theme-dark':
      return theme.set('dark');
    case 'zone-utc':
      return zone.set('utc');
    case 'zone-local':
      return zone.set('local');
    case 'as-of':
      return askMoment();
    case 'now':
      return changeQuery({ as_of: null });
    case 'copy-link':
      return void copyLink();
    case 'notices':
      return showNotices();
    case 'keys':
      return showKeys();
  }
}

async function copyLink(): Promise<void> {
  const isCopied = await copyText(globalThis.location.href);
  notify({ text: isCopied ? 'Link copied' : 'The browser does not allow copying' });
}
