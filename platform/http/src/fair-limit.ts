/** Counts running work, such as requests or transfers. */
export interface FairLimit {
  /**
   * Counts one more. One person never has more under way than are left for everybody else, as with connections: *k* people who send without end leave one
   * part in *k* + 1 of the places.
   *
   * @param person - on whose behalf; `undefined` for a backend, which is bound by the limit of all only
   * @param places - how much it counts; default 1
   * @returns to be called when it has ended; may be called more than once
   * @throws the refusal when there are too many
   */
  enter(person: string | undefined, places?: number): () => void
}

/** @param refusal - the error to throw when there are too many */
export function createFairLimit(underWayMax: number, refusal: () => Error): FairLimit {
  const ofPerson = new Map<string, number>()
  let underWay = 0

  function count(person: string | undefined, change: number): void {
    underWay += change
    if (person === undefined) return
    const now = (ofPerson.get(person) ?? 0) + change
    if (now === 0) ofPerson.delete(person)
    else ofPerson.set(person, now)
  }

  return {
    enter(person, places = 1) {
      const own = person === undefined ? 0 : (ofPerson.get(person) ?? 0)
      const left = underWayMax - underWay - places
      if (left < 0 || (person !== undefined && own + places > left + 1)) throw refusal()
      count(person, places)
      let isHeld = true
      return () => {
        if (isHeld) count(person, -places)
        isHeld = false
      }
    },
  }
}
