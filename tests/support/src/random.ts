/** A pseudo-random generator determined by a seed. */
export interface Random {
  /** Returns a whole number from 0 to below `end`. */
  below(end: number): number
  pick<T>(list: readonly T[]): T
  chance(probability: number): boolean
  uuid(): string
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  const hex = (): string => below(16).toString(16)
  return {
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    chance: (probability) => next() < probability,
    uuid: () => 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', hex),
  }
}
