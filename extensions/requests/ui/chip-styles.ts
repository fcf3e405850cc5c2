// Styles of the chips of filters.

import { css } from 'lit';

export const chipStyles = css`
  ul {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
  }

  li {
    min-width: 0;
    max-width: 100%;
  }

  .chip {
    display: flex;
    align-items: center;
    min-width: 0;
    border: 1px solid var(--line-strong);
    border-radius: var(--radius-m);
    background: var(--surface);
  }

  li.chip {
    border-color: color-mix(in srgb, var(--accent) 45%, var(--line));
    background: var(--accent-soft);
  }

  .chip button {
    height: calc(var(--control) - 2px);
  }

  .words {
    display: block;
    flex: 0 1 auto;
    overflow: hidden;
    padding-right: 0.125rem;
    color: var(--text);
    text-overflow: ellipsis;
  }

  .label {
    color: var(--text-2);
    font-weight: 400;
    white-space: nowrap;
  }

  .chip .plain.icon {
    width: 1.625rem;
  }

  .editor {
    flex-wrap: wrap;
    gap: 0.25rem;
    padding-left: var(--space-2);
  }

  .editor gw-combobox {
    width: 15rem;
    max-width: 100%;
  }

  .editor input {
    width: 12rem;
    max-width: 100%;
  }

  .editor input.end {
    width: 7.5rem;
  }

  .adder {
    width: 9rem;
  }
`;
