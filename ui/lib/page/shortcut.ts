// What a key means: `Ctrl/⌘ K` opens the palette, `/` the filter, `n` the last notices, `?` the list of keys, and `g` with a letter goes
// to a screen.

export type Pressed = Readonly<{
  key: string;
  /** With Control or the Command key. */
  held: boolean;
  /** In a field, where keys are text. */
  typing: boolean;
  /** The key before was `g`. */
  going: boolean;
  /** A key alone means something. */
  single: boolean;
}>;

export type Meaning =
  | Readonly<{ kind: 'palette' | 'filter' | 'notices' | 'keys' | 'go' }>
  | Readonly<{ kind: 'screen'; key: string }>;

export function meaningOf({ key, held, typing, going, single }: Pressed): Meaning | null {
  if (held) return key.toLowerCase() === 'k' ? { kind: 'palette' } : null;
  if (typing || !single) return null;
  if (going && /^[a-z]$/.test(key)) return { kind: 'screen', key };
  switch (key) {
    case '/':
      return { kind: 'filter' };
    case 'n':
      return { kind: 'notices' };
    case '?':
      return { kind: 'keys' };
    case 'g':
      return { kind: 'go' };
    default:
      return null;
  }
}
