// Writes text to the clipboard, also on pages without TLS, where browsers offer no clipboard API.

/** False if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  if (isOffered()) return navigator.clipboard.writeText(text).then(asTrue, asFalse);
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  const focused = focusedElement();
  // Next to the pressed button: while a dialog is open, nothing outside of it can be selected.
  (focused?.parentNode ?? document.body).append(field);
  field.select();
  // Deprecated, but the only way without TLS.
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** In nested shadow trees. */
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
