import { tooManyTransfers } from './errors.ts'

/** Counts transfers of one direction that are under way. */
export interface TransferLimit {
  /**
   * Counts a transfer. One person never has more under way than are left for everybody else: *k* people who send without end leave one part in *k* + 1 of the
   * places.
   *
   * @param person - on whose behalf; `undefined` for a backend, which is bound by the limit of all only
   * @returns to be called when the transfer has ended; may be called more than once
   * @throws {HoldfastError} `SlowDown`
   */
  enter(person: string | undefined): () => void
}

export function createTransferLimit(what: 'uploads' | 'downloads', transfersMax: number): TransferLimit {
  const ofPerson = new Map<string, number>()
  let underWay = 0

  function count(person: string | undefined, change: 1 | -1): void {
    underWay += change
    if (person === undefined) return
    const now = (ofPerson.get(person) ?? 0) + change
    if (now === 0) ofPerson.delete(person)
    else ofPerson.set(person, now)
  }

  return {
    enter(person) {
      const own = person === undefined ? 0 : (ofPerson.get(person) ?? 0)
      if (own >= transfersMax - underWay) throw tooManyTransfers(what)
      count(person, 1)
      let isHeld = true
      return () => {
        if (isHeld) count(person, -1)
        isHeld = false
      }
    },
  }
}
