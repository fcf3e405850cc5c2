// Styles of all elements: box model, focus, buttons, links and screen reader text.

import { css } from 'lit';

export const base = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }

  :host {
    display: block;
  }

  :host([hidden]),
  [hidden] {
    display: none !important;
  }

  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: var(--radius-s);
  }

  h1,
  h2,
  h3,
  p,
  dl,
  dd,
  ul,
  ol {
    margin: 0;
    padding: 0;
  }

  ul,
  ol {
    list-style: none;
  }

  h1 {
    font-size: var(--text-xl);
    font-weight: 600;
    letter-spacing: -0.012em;
    line-height: 1.3;
  }

  h2 {
    font-size: var(--text-l);
    font-weight: 600;
    letter-spacing: -0.006em;
  }

  h3 {
    font-size: var(--text-m);
    font-weight: 600;
  }

  a {
    color: var(--accent-text);
    text-decoration: none;
  }

  a:hover {
    text-decoration: underline;
  }

  code,
  pre,
  .mono {
    font-family: var(--mono);
    font-size: 0.92em;
  }

  .quiet {
    color: var(--text-2);
  }

  .number {
    font-variant-numeric: tabular-nums;
    text-align: right;
  }

  .only-read {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }

  /* Where the system's own few colours stand in for ours, which differ by background alone. */
  @media (forced-colors: active) {
    a[aria-current]:not([aria-current='false']),
    [aria-selected='true'] > a {
      background: Highlight !important;
      color: HighlightText !important;
      forced-color-adjust: none;
    }
  }

  /* What is folded is read on paper too. */
  @media print {
    details::details-content {
      display: block;
      height: auto;
      content-visibility: visible;
    }
  }

  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation-duration: 0s !important;
      transition-duration: 0s !important;
    }
  }
`;

/** `<button class="primary | danger | plain | plain danger | icon">`; without a class it is bordered. Links can use the same classes. */
export const buttons = css`
  button,
  a.button {
    display: inline-flex;
    flex: none;
    align-items: center;
    justify-content: center;
    gap: 0.375rem;
    height: var(--control);
    padding: 0 0.625rem;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-m);
    background: var(--surface);
    color: var(--text);
    font: 500 var(--text-m) / 1 var(--font);
    white-space: nowrap;
    text-decoration: none;
    cursor: pointer;
    transition:
      background var(--quick),
      border-color var(--quick);
  }

  button:hover,
  a.button:hover {
    background: var(--hover);
    text-decoration: none;
  }

  button:disabled {
    color: var(--text-3);
    cursor: not-allowed;
  }

  .primary,
  a.button.primary {
    border-color: transparent;
    background: var(--accent);
    color: var(--on-accent);
  }

  .primary:hover,
  a.button.primary:hover {
    background: var(--accent-hover);
  }

  .danger {
    border-color: var(--bad);
    color: var(--bad);
  }

  .danger:hover {
    background: var(--bad-soft);
  }

  .primary:disabled,
  .danger:disabled {
    border-color: var(--line-strong);
    background: var(--sunken);
    color: var(--text-3);
  }

  .plain {
    border-color: transparent;
    background: transparent;
    color: var(--text-2);
  }

  .plain:hover {
    background: var(--hover);
    color: var(--text);
  }

  .plain.danger {
    color: var(--bad);
  }

  .plain.danger:hover {
    background: var(--bad-soft);
  }

  .icon {
    width: var(--control);
    padding: 0;
  }
`;

/** Inputs, selects and text areas. */
export const controls = css`
  input:not([type='checkbox'], [type='radio']),
  select,
  textarea {
    width: 100%;
    min-height: var(--control);
    padding: 0.25rem 0.5rem;
    border: 1px solid var(--control-line);
    border-radius: var(--radius-m);
    background: var(--surface);
    color: var(--text);
    font: 400 var(--text-m) / 1.4 var(--font);
  }

  select {
    padding-right: 1.75rem;
    overflow: hidden;
    appearance: none;
    background-image:
      linear-gradient(45deg, transparent 50%, var(--text-2) 50%),
      linear-gradient(135deg, var(--text-2) 50%, transparent 50%);
    background-position:
      right 0.9375rem center,
      right 0.5625rem center;
    background-size: 0.375rem 0.375rem;
    background-repeat: no-repeat;
    text-overflow: ellipsis;
  }

  textarea {
    min-height: var(--text-height, 5rem);
    resize: vertical;
  }

  ::placeholder {
    color: var(--text-3);
    opacity: 1;
  }

  input:focus-visible,
  select:focus-visible,
  textarea:focus-visible {
    border-color: var(--accent);
    outline: 2px solid var(--accent);
    outline-offset: -1px;
    border-radius: var(--radius-m);
  }

  [aria-invalid='true'] {
    border-color: var(--bad) !important;
  }

  input[type='checkbox'],
  input[type='radio'] {
    width: 1rem;
    height: 1rem;
    margin: 0;
    accent-color: var(--accent);
  }

  :disabled {
    background-color: var(--sunken);
    color: var(--text-3);
  }

  @media (forced-colors: active) {
    select {
      appearance: auto;
    }
  }
`;
