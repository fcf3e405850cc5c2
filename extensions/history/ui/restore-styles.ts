// Styles of the restore preview.

import { css } from 'lit';

export const restoreStyles = css`
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin-bottom: var(--space-4);
  }

  .head h2 {
    margin-right: auto;
  }

  .notice ul {
    margin-top: var(--space-1);
    padding-left: var(--space-4);
    list-style: disc;
  }

  .bad {
    background: var(--bad-soft);
  }

  .only {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
    margin-bottom: var(--space-4);
  }

  .rows code {
    overflow-wrap: anywhere;
  }

  details summary {
    width: fit-content;
    cursor: pointer;
  }

  details .rows {
    margin-top: var(--space-2);
  }
`;
