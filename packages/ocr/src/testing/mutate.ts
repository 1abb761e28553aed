/** Numbers from 0 up to, not including, 1, the same for the same seed on every machine (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Mutation = (bytes: Buffer, random: () => number) => Buffer;

/** Half of all places lie in a file's head, where what they change matters most. */
const HEAD = 256;

function placeIn(bytes: Buffer, random: () => number): number {
  const reach = random() < 0.5 ? Math.min(HEAD, bytes.length) : bytes.length;
  return Math.floor(random() * reach);
}

function lengthIn(bytes: Buffer, random: () => number): number {
  return 1 + Math.floor(random() ** 3 * (bytes.length / 2));
}

const EXTREMES = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff];

const MUTATIONS: readonly Mutation[] = [
  // Some bytes are others.
  (bytes, random) => {
    for (let times = 1 + Math.floor(random() * 16); times > 0; times--) bytes[placeIn(bytes, random)] = Math.floor(random() * 256);
    return bytes;
  },
  // One bit is the other.
  (bytes, random) => {
    const place = placeIn(bytes, random);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8));
    return bytes;
  },
  // A number says something extreme.
  (bytes, random) => {
    const place = Math.min(placeIn(bytes, random), Math.max(0, bytes.length - 4));
    const value = EXTREMES[Math.floor(random() * EXTREMES.length)] ?? 0;
    if (random() < 0.5) bytes.writeUInt32LE(value, place);
    else bytes.writeUInt32BE(value, place);
    return bytes;
  },
  // It is cut short.
  (bytes, random) => bytes.subarray(0, 1 + Math.floor(random() * bytes.length)),
  // A part is missing.
  (bytes, random) => {
    const place = placeIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + lengthIn(bytes, random))]);
  },
  // A part comes twice.
  (bytes, random) => {
    const place = placeIn(bytes, random);
    const end = place + lengthIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(place)]);
  },
  // A part is empty.
  (bytes, random) => {
    const place = placeIn(bytes, random);
    return bytes.fill(random() < 0.5 ? 0 : 0xff, place, Math.min(bytes.length, place + lengthIn(bytes, random)));
  },
];

/** A copy of a file with one to three things wrong with it. */
export function mutate(file: Uint8Array, random: () => number): Buffer {
  let bytes = Buffer.from(file);
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    const mutation = MUTATIONS[Math.floor(random() * MUTATIONS.length)];
    if (mutation !== undefined && bytes.length > 4) bytes = Buffer.from(mutation(bytes, random));
  }
  return bytes;
}
