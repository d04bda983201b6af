import { assert } from '@holdfast/foundation'

/** What one service may have of the places. */
export interface ShareLimits {
  /** Places that are kept free for it while it has fewer, so that others cannot make it wait. */
  readonly reserved: number
  /** Places that it has at most, whether or not others are free. */
  readonly max: number
  /** Places that one person has at most in this share. Default: only {@link FairQueue.enter}'s own bound. */
  readonly perPersonMax?: number
}

export interface Entry {
  readonly share: string
  /** On whose behalf; `undefined` for work of the server itself, or of a backend that is trusted with all of its share. */
  readonly person: string | undefined
  /** Leaves the queue when it aborts. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/** No place came free in time. The message is the one of the driver's pool, which callers know. */
export class QueueTimeout extends Error {
  override readonly name = 'QueueTimeout'

  constructor() {
    super('timeout exceeded when trying to connect: all connections of this share are in use')
  }
}

/** Hands out a fixed number of places to services and people. */
export interface FairQueue {
  /**
   * Waits for a place. Among services, the one furthest below its reserved places goes first; inside a service, the person with the fewest places, and
   * among equals the one who was served longest ago. A person never has more places than are left free: however much one asks for, others find some.
   *
   * @returns gives the place back; to be called once
   * @throws {QueueTimeout}, or the signal's reason
   */
  enter(entry: Entry): Promise<() => void>
  readonly running: number
  readonly waiting: number
}

interface Ticket {
  readonly share: Share
  readonly person: string | undefined
  grant(): void
}

interface Share extends ShareLimits {
  running: number
  readonly placesOf: Map<string, number>
  /** By person in the order in which they are served; work without a person has a key of its own each. */
  readonly waiting: Map<string | symbol, Ticket[]>
}

/** @param places - of which all shares together reserve no more than there are */
export function createFairQueue(places: number, limits: Readonly<Record<string, ShareLimits>>): FairQueue {
  const shares = new Map<string, Share>(
    Object.entries(limits).map(([name, share]) => [
      name,
      { ...share, running: 0, placesOf: new Map<string, number>(), waiting: new Map<string | symbol, Ticket[]>() },
    ]),
  )
  const reserved = [...shares.values()].reduce((sum, share) => sum + share.reserved, 0)
  assert(reserved <= places, 'no more places are reserved than there are')
  const placesOf = new Map<string, number>()
  let running = 0
  let waiting = 0

  function hasRoom(share: Share): boolean {
    const free = places - running
    if (free === 0 || share.running >= share.max) return false
    if (share.running < share.reserved) return true
    let kept = 0
    for (const other of shares.values()) if (other !== share) kept += Math.max(0, other.reserved - other.running)
    return free > kept
  }

  function mayHaveMore(share: Share, person: string | undefined): boolean {
    if (person === undefined) return true
    if ((share.placesOf.get(person) ?? 0) >= (share.perPersonMax ?? Number.POSITIVE_INFINITY)) return false
    return (placesOf.get(person) ?? 0) < places - running
  }

  function take({ share, person }: Ticket): () => void {
    count(1)
    let isHeld = true
    return () => {
      assert(isHeld, 'a place is given back once')
      isHeld = false
      count(-1)
      dispatch()
    }

    function count(change: 1 | -1): void {
      running += change
      share.running += change
      if (person === undefined) return
      for (const places of [placesOf, share.placesOf]) {
        const now = (places.get(person) ?? 0) + change
        if (now === 0) places.delete(person)
        else places.set(person, now)
      }
    }
  }

  /** Whose turn it is in a share. */
  function nextIn(share: Share): Ticket | undefined {
    if (share.waiting.size === 0 || !hasRoom(share)) return undefined
    let best: Ticket | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [ticket] of share.waiting.values()) {
      if (!ticket || !mayHaveMore(share, ticket.person)) continue
      const has = ticket.person === undefined ? 0 : (placesOf.get(ticket.person) ?? 0)
      if (has >= fewest) continue
      best = ticket
      fewest = has
      if (has === 0) break
    }
    return best
  }

  function dispatch(): void {
    while (waiting > 0 && running < places) {
      let best: Ticket | undefined
      let least = Number.POSITIVE_INFINITY
      for (const share of shares.values()) {
        const use = share.running / Math.max(1, share.reserved)
        const ticket = use < least ? nextIn(share) : undefined
        if (!ticket) continue
        best = ticket
        least = use
      }
      if (!best) return
      best.grant()
    }
  }

  return {
    get running() {
      return running
    },
    get waiting() {
      return waiting
    },
    async enter({ share: name, person, signal, timeoutMs }) {
      const share = shares.get(name)
      assert(share, `the share ${name} is declared`)
      signal?.throwIfAborted()
      if (waiting === 0 && hasRoom(share) && mayHaveMore(share, person)) {
        return take({ share, person, grant: () => undefined })
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const key = person ?? Symbol('work')
      const ticket: Ticket = {
        share,
        person,
        grant() {
          leave()
          // Whoever is left of this person is served after everybody else.
          const others = share.waiting.get(key)
          if (others) {
            share.waiting.delete(key)
            share.waiting.set(key, others)
          }
          resolve(take(ticket))
        },
      }
      const giveUp = (reason: unknown): void => {
        leave()
        reject(reason)
        dispatch()
      }
      const onAbort = (): void => giveUp(signal?.reason)
      const timer = setTimeout(() => giveUp(new QueueTimeout()), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      const tickets = share.waiting.get(key)
      if (tickets) tickets.push(ticket)
      else share.waiting.set(key, [ticket])
      waiting++
      dispatch()
      return promise

      function leave(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        const left = (share?.waiting.get(key) ?? []).filter((other) => other !== ticket)
        if (left.length > 0) share?.waiting.set(key, left)
        else share?.waiting.delete(key)
        waiting--
      }
    },
  }
}
