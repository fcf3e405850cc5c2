// The parts of the dialog of a save.

import { css } from 'lit';

export const saveStyles = css`
  .parts {
    display: grid;
    gap: var(--space-4);
  }

  .became {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2) var(--space-3);
    padding: var(--space-2) var(--space-3);
    border: 1px solid var(--warn);
    border-radius: var(--radius-m);
    background: var(--warn-soft);
  }

  .became p {
    flex: 1 1 18rem;
  }

  .other {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
    margin-left: -0.625rem;
  }
`;
