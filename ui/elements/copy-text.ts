// Puts text on the clipboard, for pages that came without TLS too: to those the browser offers no clipboard.

/** False when the browser lets nobody copy: then the text must be selected by hand. */
export async function copyText(text: string): Promise<boolean> {
  if (isOffered()) return navigator.clipboard.writeText(text).then(asTrue, asFalse);
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  const focused = focusedElement();
  // Beside what was pressed: while a dialog is open, nothing outside of it can be selected.
  (focused?.parentNode ?? document.body).append(field);
  field.select();
  // Deprecated, and the only way that there is.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** Wherever it lies in the trees of the elements. */
function focusedElement(): Element | null {
  let focused = document.activeElement;
  for (let inner = focused; inner !== null; inner = inner.shadowRoot?.activeElement ?? null) {
    focused = inner;
  }
  return focused;
}

const isOffered = (): boolean => 'clipboard' in navigator && navigator.clipboard !== undefined;
const asTrue = (): true => true;
const asFalse = (): false => false;
