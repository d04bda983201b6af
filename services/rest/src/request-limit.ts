import { poolExhausted } from './errors.ts'

/** Counts requests that are under way. */
export interface RequestLimit {
  /**
   * Counts a request. One person never has more under way than are left for everybody else, as with connections: *k* people who send without end leave one
   * part in *k* + 1 of the places.
   *
   * @param person - on whose behalf; `undefined` for a backend, which is bound by the limit of all only
   * @returns to be called when the request has ended
   * @throws PGRST003 when there are too many
   */
  enter(person: string | undefined): () => void
}

export function createRequestLimit(requestsMax: number): RequestLimit {
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
      if (own >= requestsMax - underWay) throw poolExhausted(undefined)
      count(person, 1)
      return () => count(person, -1)
    },
  }
}
