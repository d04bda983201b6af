/** Limits concurrent work, such as requests or transfers. */
export interface FairLimit {
  /**
   * Starts one unit of work. No user may hold more than remains for all others: *k* users sending endlessly leave one part in *k* + 1.
   *
   * @param person - fairness key; `undefined` for backends, subject only to the total limit
   * @param places - weight; default 1
   * @returns call at the end; idempotent
   * @throws the refusal if the limit is reached
   */
  enter(person: string | undefined, places?: number): () => void
}

/** @param refusal - creates the error to throw at the limit */
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
