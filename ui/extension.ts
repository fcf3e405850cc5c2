// Defines what an extension adds to the management UI: `extensions/<name>/ui/extension.ts` exports one. Its screens are the files in
// `extensions/<name>/ui/screens/`.

import { nothing } from 'lit';
import type { TemplateResult } from 'lit';

import type { Change } from './api/http/call.ts';
import type { IconName } from './icons.ts';
import type { DraftCall } from './lib/changes/draft-calls.ts';
import type { Place } from './lib/page/place.ts';

export type Screen = Readonly<{
  /** The segment in the address; the element is `gw-screen-<name>`. */
  name: string;
  title: string;
  icon: IconName;
  group: 'Now' | 'Routing' | 'Tools' | 'Access' | 'Evidence' | 'System';
  /** Pressed after `g`. */
  key: string;
  /** Shown only if an operator manages this process. */
  managed?: true;
  /** Needed to see the screen. */
  permission?: 'config:write';
  /** The screen shows configuration and supports past versions. */
  hasPast?: true;
}>;

type Proposed = Readonly<{
  /** Calls on the current configuration, or another version; null if neither can be previewed. */
  proposal: Readonly<{ calls: readonly unknown[] } | { version: string }> | null;
  /** The result that the server already sent. */
  known?: unknown;
}>;

/** Drawn by the element `gw-history-<value>`. */
export type Section = Readonly<{
  value: string;
  label: string;
  about: string;
  /** Position of the tab; the first one is the default. */
  order: number;
  load: () => Promise<unknown>;
  /** Has no tab; other sections link to it. */
  inner?: true;
}>;

/** Something to do with a change other than saving it, offered in the dialog that saves. */
export type Alternative = Readonly<{
  label: string;
  /** The error code after which it is the main action. */
  resolves: string;
  send: (
    proposal: Readonly<{ title: string; calls: readonly DraftCall[] }>,
    change: Pick<Change, 'reason' | 'onceKey'>,
  ) => Promise<void>;
}>;

/** Work that waits for a person, listed with the notifications. */
export type Waiting = Readonly<{
  /** Unique; what was known before is not announced again. */
  key: string;
  text: string;
  about: string;
  place: Readonly<{ screen: string; rest: readonly (string | number)[] }>;
}>;

export type UiExtension = Readonly<{
  waiting?: Readonly<{
    permission: 'config:write';
    load: (person: number, signal: AbortSignal) => Promise<readonly Waiting[]>;
  }>;
  insteadOfSaving?: Alternative;
  sections?: readonly Section[];
  preview?: Readonly<{
    label: string;
    /** True if it applies to a call to this path. */
    concerns: (path: string) => boolean;
    draw: (proposed: Proposed) => TemplateResult;
  }>;
  screens?: readonly Screen[];
  /** Shown below the usage of the screen Usage and spend. */
  belowUsage?: () => TemplateResult;
  /** Shown above the form for a password. Without a place it opens in a new tab. */
  signIn?: (offered: Readonly<{ label: string; place: Place | null }>) => TemplateResult;
  /** An action for an API key while it is shown. */
  withNewKey?: Readonly<{
    label: string;
    icon: IconName;
    permission: string;
    use: (key: string) => void;
  }>;
}>;

export const extensions: readonly UiExtension[] = Object.values(
  import.meta.glob<UiExtension>('../extensions/*/ui/extension.ts', {
    eager: true,
    import: 'extension',
  }),
);

export const alternatives = extensions.flatMap(({ insteadOfSaving }) => insteadOfSaving ?? []);

/** For a person with these permissions. */
export const waitingFor = (may: (permission: string) => boolean) =>
  extensions.flatMap(({ waiting }) =>
    waiting !== undefined && may(waiting.permission) ? [waiting] : [],
  );

export const previews = extensions.flatMap(({ preview }) => preview ?? []);

export const previewOf = (proposed: Proposed) => previews.map(({ draw }) => draw(proposed));

export const drawnBelowUsage = () => extensions.map(({ belowUsage }) => belowUsage?.() ?? nothing);
