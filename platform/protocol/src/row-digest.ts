/** Offset basis and prime of FNV-1a. The second lane has another basis and factor. */
const BASIS = 0x811c9dc5
const PRIME = 0x01000193
const SECOND_BASIS = 0x9747b28c
const SECOND_FACTOR = 0x85ebca6b

/** Mixes the bits of a hash: the finalizer of MurmurHash3. */
function spread(hash: number): number {
  let mixed = hash ^ (hash >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed ^= mixed >>> 13
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** FNV-1a over UTF-16 code units. */
function hashText(text: string, basis: number): number {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME)
  return hash
}

function secondHash(text: string, basis: number): number {
  let hash = basis
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul((hash ^ text.charCodeAt(at)) + (hash >>> 15), SECOND_FACTOR)
  }
  return hash
}

function hex(first: number, second: number): string {
  return first.toString(16).padStart(8, '0') + second.toString(16).padStart(8, '0')
}

function digestLanes(id: string, data: string): readonly [number, number] {
  const first = hashText(data, spread(hashText(id, BASIS)))
  const second = secondHash(data, spread(secondHash(id, SECOND_BASIS)))
  return [spread(first ^ data.length), spread(second ^ id.length)]
}

/**
 * Returns a 64-bit digest of a row in hexadecimal, for detecting damage. Not collision-resistant. Needs no `crypto.subtle`, which is missing on insecure
 * pages.
 *
 * @param data - the row as JSON text, exactly as in the sync stream
 */
export function digestRow(id: string, data: string): string {
  return hex(...digestLanes(id, data))
}

/** Maximum number of key ranges. */
export const CHECK_RANGES_MAX = 4_096

/**
 * Returns the range of a key among `ranges` equal ones. Keys are ordered by a hash of their text, which is the same for every type and collation.
 *
 * @param ranges - a power of two
 */
export function rangeOfKey(id: string, ranges: number): number {
  return Math.floor((spread(hashText(id, BASIS)) / 2 ** 32) * ranges)
}

/** Number of rows in a range and the sum of their digests in hexadecimal. */
export type RangeSum = readonly [rows: number, sum: string]

/** Sums rows by key range, in any order. */
export class RangeSums {
  readonly #rows: Uint32Array
  readonly #first: Uint32Array
  readonly #second: Uint32Array

  /** @param ranges - a power of two */
  constructor(ranges: number) {
    this.#rows = new Uint32Array(ranges)
    this.#first = new Uint32Array(ranges)
    this.#second = new Uint32Array(ranges)
  }

  /** @param data - the row as JSON text, exactly as in the sync stream */
  add(id: string, data: string): void {
    const range = rangeOfKey(id, this.#rows.length)
    const [first, second] = digestLanes(id, data)
    // Typed arrays wrap modulo 2 ** 32.
    this.#rows[range]! += 1
    this.#first[range]! += first
    this.#second[range]! += second
  }

  list(): readonly RangeSum[] {
    return [...this.#rows].map((rows, range) => [rows, hex(this.#first[range] ?? 0, this.#second[range] ?? 0)])
  }
}
