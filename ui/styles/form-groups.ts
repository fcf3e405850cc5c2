// Styles of groups of fields in a form that can be added and removed.

import { css } from 'lit';

export const formGroups = css`
  fieldset {
    display: grid;
    gap: var(--space-3);
    min-width: 0;
    margin: 0;
    padding: var(--space-3) 0 0;
    border: 0;
    border-top: 1px solid var(--line);
  }

  legend {
    float: left;
    width: 100%;
    padding: 0;
    font-weight: 600;
  }

  .group {
    display: flex;
    align-items: flex-start;
    gap: var(--space-2);
    padding: var(--space-3);
    border: 1px solid var(--line);
    border-radius: var(--radius-m);
    background: var(--ground);
  }

  .of {
    display: grid;
    flex: 1;
    gap: var(--space-3);
    min-width: 0;
  }

  .of .group {
    padding-inline: var(--space-2);
    background: var(--surface);
  }

  details > .pair {
    margin-top: var(--space-3);
  }

  summary {
    cursor: pointer;
  }

  .offered {
    display: flex;
    flex-wrap: wrap;
    gap: 0.125rem;
    margin-left: -0.625rem;
  }
`;
