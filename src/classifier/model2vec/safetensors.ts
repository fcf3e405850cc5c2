// Reads tensors from a safetensors file (huggingface.co/docs/safetensors, "Format"): eight bytes
// with the length of the header, the JSON header, and the tensors at the header's offsets. Checks
// every length and offset; errors name the field.

import { z } from 'zod';

import { plainly, problemText } from '../../lib/plain-issue.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

const headerBytesMax = 16 * 1024 * 1024;

const entry = z.object({
  dtype: z.enum(['F64', 'F32', 'F16', 'I8', 'I32', 'I64']),
  shape: z.array(z.int().nonnegative()).min(1).max(2),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
type Entry = z.output<typeof entry>;

export type Tensor = Readonly<{ shape: readonly number[]; values: Float32Array }>;
export type Tensors = Readonly<Record<string, Tensor | undefined>>;

const bytesOf = { F64: 8, F32: 4, F16: 2, I8: 1, I32: 4, I64: 8 } as const;

/** Skips named tensors that the file does not have. `file` is its name in messages. */
export function readTensors(
  bytes: Uint8Array,
  names: readonly string[],
  file: string,
): Tensors | Refusal {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < 8 ? -1 : Number(view.getBigUint64(0, true));
  if (length < 2 || length > headerBytesMax || length > bytes.length - 8) {
    return refuse('invalid', `${file}: invalid header length ${length}`);
  }
  const header = parseHeader(bytes.subarray(8, 8 + length));
  if (header === null) return refuse('invalid', `${file}: the header is not a JSON object`);
  const tensors: Record<string, Tensor> = {};
  for (const name of names) {
    if (header[name] === undefined) continue;
    const parsed = entry.safeParse(header[name], plainly);
    if (!parsed.success) {
      return refuse('invalid', `${file}: ${name}: ${problemText(parsed.error)}`);
    }
    const tensor = readTensor(bytes.subarray(8 + length), parsed.data);
    if (isRefusal(tensor)) return refuse('invalid', `${file}: ${name}${tensor.message}`);
    tensors[name] = tensor;
  }
  return tensors;
}

function parseHeader(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const parsed = z
      .record(z.string(), z.unknown())
      .safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** An error is the end of a message, without the tensor's name. */
function readTensor(
  data: Uint8Array,
  { dtype, shape, data_offsets: [from, to] }: Entry,
): Tensor | Refusal {
  const count = shape.reduce((product, size) => product * size, 1);
  if (to > data.length || to - from !== count * bytesOf[dtype]) {
    return refuse(
      'invalid',
      `.data_offsets: ${from} to ${to} does not hold ${count} values of ${dtype}`,
    );
  }
  const view = new DataView(data.buffer, data.byteOffset + from, to - from);
  const values = new Float32Array(count);
  for (let index = 0; index < count; index++) values[index] = readValue(view, dtype, index);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  return wrong === -1 ? { shape, values } : refuse('invalid', `: value ${wrong} is not a number`);
}

function readValue(view: DataView, dtype: Entry['dtype'], index: number): number {
  switch (dtype) {
    case 'F64':
      return view.getFloat64(index * 8, true);
    case 'F32':
      return view.getFloat32(index * 4, true);
    case 'F16':
      return halfOf(view.getUint16(index * 2, true));
    case 'I8':
      return view.getInt8(index);
    case 'I32':
      return view.getInt32(index * 4, true);
    case 'I64':
      return Number(view.getBigInt64(index * 8, true));
  }
}

/** IEEE 754 binary16. */
function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
