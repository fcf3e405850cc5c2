// Why the code of a screen did not come, by what the server serves now.

type CodeTrouble = Readonly<{
  code: 'unreachable' | 'other_build' | 'no_code';
  message: string;
}>;

const messages: Readonly<Record<CodeTrouble['code'], string>> = {
  unreachable: 'the control plane did not answer',
  other_build:
    'gw serves another version of this page by now, and no longer the code of this screen: reload the page',
  no_code: 'the code of this screen could not be loaded',
};

/** `page` is the page as it is served now, null where nothing answered; `entry` the file that the open page began with. */
export function codeTrouble({
  page,
  entry,
}: Readonly<{ page: string | null; entry: string }>): CodeTrouble {
  const code =
    page === null ? 'unreachable' : page.includes(`/${entry}"`) ? 'no_code' : 'other_build';
  return { code, message: messages[code] };
}
