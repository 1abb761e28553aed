/**
 * Just enough of the protocol buffer wire format to read a message, change it and write it again: fields that are not
 * looked at keep their bytes.
 */
export type Field = { readonly number: number } & (
  | { readonly wire: 'varint'; readonly value: bigint }
  | { readonly wire: 'fixed64' | 'fixed32' | 'bytes'; readonly value: Uint8Array }
);

const WIRE_TYPES = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Fields of a message in their order. Throws RangeError on a message that is cut short or malformed. */
export function decodeMessage(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (): bigint => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new RangeError('malformed protocol buffer');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  const take = (size: number): Uint8Array => {
    if (at + size > bytes.length) throw new RangeError('protocol buffer cut short');
    at += size;
    return bytes.subarray(at - size, at);
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const number = key >>> 3;
    switch (key & 7) {
      case 0:
        fields.push({ number, wire: 'varint', value: readVarint() });
        break;
      case 1:
        fields.push({ number, wire: 'fixed64', value: take(8) });
        break;
      case 2:
        fields.push({ number, wire: 'bytes', value: take(Number(readVarint())) });
        break;
      case 5:
        fields.push({ number, wire: 'fixed32', value: take(4) });
        break;
      default:
        throw new RangeError(`unknown wire type ${key & 7}`);
    }
  }
  return fields;
}

function encodeVarint(value: bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return bytes;
}

export function encodeMessage(fields: readonly Field[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const field of fields) {
    const key = encodeVarint(BigInt((field.number << 3) | WIRE_TYPES[field.wire]));
    if (field.wire === 'varint') {
      parts.push(Uint8Array.from([...key, ...encodeVarint(field.value)]));
    } else {
      parts.push(Uint8Array.from(field.wire === 'bytes' ? [...key, ...encodeVarint(BigInt(field.value.length))] : key), field.value);
    }
  }
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Repeated integers, packed or not. */
export function integersOf(fields: readonly Field[], number: number): number[] {
  return fields
    .filter((field) => field.number === number)
    .flatMap((field) =>
      field.wire === 'varint' ? [Number(BigInt.asIntN(64, field.value))] : field.wire === 'bytes' ? unpack(field.value) : [],
    );
}

function unpack(bytes: Uint8Array): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
      if (byte < 0x80) break;
    }
    values.push(Number(BigInt.asIntN(64, value)));
  }
  return values;
}

export function textsOf(fields: readonly Field[], number: number): string[] {
  return fields.flatMap((field) => (field.number === number && field.wire === 'bytes' ? [new TextDecoder().decode(field.value)] : []));
}

export function textField(number: number, text: string): Field {
  return { number, wire: 'bytes', value: new TextEncoder().encode(text) };
}

export function integerField(number: number, value: number): Field {
  return { number, wire: 'varint', value: BigInt(value) };
}
