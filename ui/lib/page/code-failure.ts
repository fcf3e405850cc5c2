// Explains why the code of a screen failed to load.

type CodeFailure = Readonly<{
  code: 'unreachable' | 'other_build' | 'no_code';
  message: string;
}>;

const messages: Readonly<Record<CodeFailure['code'], string>> = {
  unreachable: 'cannot reach the control plane',
  other_build: 'gw was updated: reload the page',
  no_code: 'the code of this screen could not be loaded',
};

/** `page` is the page as the server returns it now, null without a response; `entry` is the script of the open page. */
export function codeFailure({
  page,
  entry,
}: Readonly<{ page: string | null; entry: string }>): CodeFailure {
  const code =
    page === null ? 'unreachable' : page.includes(`/${entry}"`) ? 'no_code' : 'other_build';
  return { code, message: messages[code] };
}
