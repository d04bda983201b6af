/** A stream of pseudo-random values determined by seed and name. Not for secrets. */
export interface Random {
  /** Returns a number of at least 0 and below 1. */
  fraction(): number
  /** Returns a whole number, including both bounds. */
  integer(min: number, max: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
  /** Returns a shuffled copy. */
  shuffle<T>(values: readonly T[]): T[]
}

/**
 * Opens the stream called `name` of `seed`. Each table draws from its own, so that a change to one leaves the others as they were.
 *
 * @see "mulberry32" by Tommy Ettinger, public domain: 32 bits of state, passes gjrand
 */
export function createRandom(seed: number, name: string): Random {
  const next = createBits(seed, name)
  const fraction = (): number => next() / 2 ** 32
  const integer = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1))

  return {
    fraction,
    integer,
    chance: (probability) => fraction() < probability,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new RangeError('nothing to pick from')
      return values[integer(0, values.length - 1)] as T
    },
    shuffle<T>(values: readonly T[]): T[] {
      const shuffled = [...values]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = integer(0, last)
        const moved = shuffled[last] as T
        shuffled[last] = shuffled[other] as T
        shuffled[other] = moved
      }
      return shuffled
    },
  }
}

/** The id of the `index`th row of a table: the same on every day and every machine. Has the form of a random (version 4) UUID. */
export function createId(seed: number, table: string, index: number): string {
  const next = createBits(seed, `${table}#${index}`)
  let text = ''
  for (let digit = 0; digit < 32; digit++) text += '0123456789abcdef'.charAt(next() >>> 28)
  const variant = '89ab'.charAt(next() >>> 30)
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`
}

/** @returns 32 bits at each call */
function createBits(seed: number, name: string): () => number {
  let state = hashText(name, seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** FNV-1a, 32 bits. */
function hashText(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 0
}
