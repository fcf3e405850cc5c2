// Takes a `data:` URL apart (RFC 2397). Its base64 is passed on as it is, never decoded.

export type DataUrl = Readonly<{
  /** In lower case, without parameters. */
  mediaType: string;
  base64: string;
}>;

/** Null for what is no `data:` URL, or one that is not in base64. */
export function readDataUrl(url: string): DataUrl | null {
  if (!/^data:/i.test(url)) return null;
  const comma = url.indexOf(',');
  if (comma === -1) return null;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const isBase64 = parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64');
  return isBase64
    ? { mediaType: mediaType.trim().toLowerCase(), base64: url.slice(comma + 1) }
    : null;
}
