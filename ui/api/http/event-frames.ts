// Parses server-sent events from pieces of text (HTML Standard, section 9.2.6) and returns complete frames only.

export type Frame = Readonly<{
  /** `message` by default. */
  event: string;
  data: string;
  /** Empty if the frame has none. */
  id: string;
}>;

/** An incomplete frame waits for the next piece. */
export function createFrameReader(): (piece: string) => readonly Frame[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.flatMap(frameOf);
  };
}

function frameOf(block: string): readonly Frame[] {
  const fields = block.split('\n').map((line) => {
    const at = line.indexOf(':');
    return at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
  });
  const valuesOf = (name: string): readonly string[] =>
    fields.flatMap(([field, value = '']) => (field === name ? [value] : []));
  const data = valuesOf('data');
  if (data.length === 0) return [];
  return [
    {
      event: valuesOf('event').at(-1) ?? 'message',
      data: data.join('\n'),
      id: valuesOf('id').at(-1) ?? '',
    },
  ];
}
