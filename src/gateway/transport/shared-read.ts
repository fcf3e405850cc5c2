// Reads accepted sockets into one buffer, as the `onread` option does for sockets that connect. Otherwise Node allocates
// 64 KiB for each read. Node has no option for accepted sockets, so this sets the fields that `onread` sets.

import type { Socket } from 'node:net';

const bufferBytes = 64 * 1024;

/** `onRead` gets a view that is valid only during the call. Returning false pauses the socket. */
export type SharedReader = (socket: Socket, onRead: (bytes: Buffer) => boolean) => boolean;

/** The reader returns false for a socket without these fields, which then emits `data`. */
export function createSharedReader(): SharedReader {
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  return (socket, onRead) => {
    const fields = fieldsOf(socket);
    const handle: unknown = Reflect.get(socket, '_handle');
    if (fields === null || !isStreamHandle(handle)) return false;
    Reflect.set(socket, fields.buffer, buffer);
    Reflect.set(socket, fields.callback, (length: number) => onRead(buffer.subarray(0, length)));
    handle.useUserBuffer(buffer);
    return true;
  };
}

type Fields = Readonly<{ buffer: symbol; callback: symbol }>;

function fieldsOf(socket: Socket): Fields | null {
  const symbols = Object.getOwnPropertySymbols(socket);
  const buffer = symbols.find(({ description }) => description === 'kBuffer');
  const callback = symbols.find(({ description }) => description === 'kBufferCb');
  return buffer === undefined || callback === undefined ? null : { buffer, callback };
}

type StreamHandle = Readonly<{ useUserBuffer: (buffer: Buffer) => void }>;

const isStreamHandle = (handle: unknown): handle is StreamHandle =>
  typeof handle === 'object' &&
  handle !== null &&
  'useUserBuffer' in handle &&
  typeof handle.useUserBuffer === 'function';
