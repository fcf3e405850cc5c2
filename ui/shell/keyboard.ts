// Handles the keyboard shortcuts that work on every screen.

import { meaningOf } from '../lib/page/shortcut.ts';
import type { Meaning } from '../lib/page/shortcut.ts';
import { singleKeys } from '../state/preferences.ts';

const goingMs = 1_500;

/** Returns a function that removes the shortcuts. */
export function listenForKeys(act: (meaning: Meaning) => void): () => void {
  let wentAt = -Infinity;
  // While a dialog closes, keys are still meant for the dialog and are ignored.
  let isClosing = false;
  const onHide = (): void => {
    isClosing = true;
  };
  const onHidden = (): void => {
    isClosing = false;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.altKey) return;
    const meaning = meaningOf({
      key: event.key,
      held: event.ctrlKey || event.metaKey,
      typing: isClosing || event.composedPath().some(isTypedInto),
      going: event.timeStamp - wentAt < goingMs,
      single: singleKeys.get() === 'on',
    });
    wentAt = meaning?.kind === 'go' ? event.timeStamp : -Infinity;
    if (meaning === null || meaning.kind === 'go') return;
    event.preventDefault();
    act(meaning);
  };
  addEventListener('keydown', onKey);
  addEventListener('wa-hide', onHide);
  addEventListener('wa-after-hide', onHidden);
  return () => {
    removeEventListener('keydown', onKey);
    removeEventListener('wa-hide', onHide);
    removeEventListener('wa-after-hide', onHidden);
  };
}

const isTypedInto = (target: EventTarget): boolean =>
  (target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type)) ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLDialogElement;
