import { poolExhausted } from './errors.ts'

/** Counts requests that are under way. */
export interface RequestLimit {
  /**
   * @returns to be called when the request has ended
   * @throws PGRST003 when there are too many
   */
  enter(): () => void
}

export function createRequestLimit(requestsMax: number): RequestLimit {
  let underWay = 0
  const leave = (): void => void underWay--
  return {
    enter() {
      if (underWay >= requestsMax) throw poolExhausted(undefined)
      underWay++
      return leave
    },
  }
}
