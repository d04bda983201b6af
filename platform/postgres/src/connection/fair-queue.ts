import { assert } from '@holdfast/foundation'

/** Limits of one service. */
export interface ShareLimits {
  /** Slots kept free for it, so that others cannot delay it. */
  readonly reserved: number
  /** Maximum number of slots, even if others are free. */
  readonly max: number
  /** Maximum slots per user in this share. Default: only the general limit of {@link FairQueue.enter}. */
  readonly perPersonMax?: number
}

export interface Entry {
  readonly share: string
  /** Fairness key; `undefined` for the server's own work, or a trusted backend. */
  readonly person: string | undefined
  /** Leaves the queue on abort. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/** No slot became free in time. Uses the driver pool's message, which callers know. */
export class QueueTimeout extends Error {
  override readonly name = 'QueueTimeout'

  constructor() {
    super('timeout exceeded when trying to connect: all connections of this share are in use')
  }
}

/** Distributes a fixed number of slots among services and users. */
export interface FairQueue {
  /**
   * Waits for a slot. The service furthest below its reservation goes first; within a service the user with the fewest slots, and among equals the one served
   * longest ago. A user never holds more slots than remain free, so others always find some.
   *
   * @returns releases the slot; call once
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
  /** By user in serving order; work without a user has a unique key. */
  readonly waiting: Map<string | symbol, Ticket[]>
}

/** @param places - total; the sum of reservations must not exceed it */
export function createFairQueue(places: number, limits: Readonly<Record<string, ShareLimits>>): FairQueue {
  return new SharedPlaces(places, limits)
}

class SharedPlaces implements FairQueue {
  readonly #places: number
  readonly #shares: ReadonlyMap<string, Share>
  readonly #placesOf = new Map<string, number>()
  #running = 0
  #waiting = 0

  constructor(places: number, limits: Readonly<Record<string, ShareLimits>>) {
    this.#places = places
    this.#shares = new Map(
      Object.entries(limits).map(([name, share]): [string, Share] => [
        name,
        { ...share, running: 0, placesOf: new Map<string, number>(), waiting: new Map<string | symbol, Ticket[]>() },
      ]),
    )
    const reserved = [...this.#shares.values()].reduce((sum, share) => sum + share.reserved, 0)
    assert(reserved <= places, 'no more places are reserved than there are')
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  async enter({ share: name, person, signal, timeoutMs }: Entry): Promise<() => void> {
    const share = this.#shares.get(name)
    assert(share, `the share ${name} is declared`)
    signal?.throwIfAborted()
    if (this.#waiting === 0 && this.#hasRoom(share) && this.#mayHaveMore(share, person)) {
      return this.#take({ share, person, grant: () => undefined })
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const key = person ?? Symbol('work')
    const leave = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      const left = (share.waiting.get(key) ?? []).filter((other) => other !== ticket)
      if (left.length > 0) share.waiting.set(key, left)
      else share.waiting.delete(key)
      this.#waiting--
    }
    const ticket: Ticket = {
      share,
      person,
      grant: () => {
        leave()
        // This user's further requests go behind those of everyone else.
        const others = share.waiting.get(key)
        if (others) {
          share.waiting.delete(key)
          share.waiting.set(key, others)
        }
        resolve(this.#take(ticket))
      },
    }
    const giveUp = (reason: unknown): void => {
      leave()
      reject(reason)
      this.#dispatch()
    }
    const onAbort = (): void => giveUp(signal?.reason)
    const timer = setTimeout(() => giveUp(new QueueTimeout()), timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    const tickets = share.waiting.get(key)
    if (tickets) tickets.push(ticket)
    else share.waiting.set(key, [ticket])
    this.#waiting++
    this.#dispatch()
    return promise
  }

  #hasRoom(share: Share): boolean {
    const free = this.#places - this.#running
    if (free === 0 || share.running >= share.max) return false
    if (share.running < share.reserved) return true
    let kept = 0
    for (const other of this.#shares.values()) if (other !== share) kept += Math.max(0, other.reserved - other.running)
    return free > kept
  }

  #mayHaveMore(share: Share, person: string | undefined): boolean {
    if (person === undefined) return true
    if ((share.placesOf.get(person) ?? 0) >= (share.perPersonMax ?? Number.POSITIVE_INFINITY)) return false
    return (this.#placesOf.get(person) ?? 0) < this.#places - this.#running
  }

  #take({ share, person }: Ticket): () => void {
    this.#count(share, person, 1)
    let isHeld = true
    return () => {
      assert(isHeld, 'a place is given back once')
      isHeld = false
      this.#count(share, person, -1)
      this.#dispatch()
    }
  }

  #count(share: Share, person: string | undefined, change: 1 | -1): void {
    this.#running += change
    share.running += change
    if (person === undefined) return
    for (const held of [this.#placesOf, share.placesOf]) {
      const now = (held.get(person) ?? 0) + change
      if (now === 0) held.delete(person)
      else held.set(person, now)
    }
  }

  /** Returns the user whose turn it is. */
  #nextIn(share: Share): Ticket | undefined {
    if (share.waiting.size === 0 || !this.#hasRoom(share)) return undefined
    let best: Ticket | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const [ticket] of share.waiting.values()) {
      if (!ticket || !this.#mayHaveMore(share, ticket.person)) continue
      const has = ticket.person === undefined ? 0 : (this.#placesOf.get(ticket.person) ?? 0)
      if (has >= fewest) continue
      best = ticket
      fewest = has
      if (has === 0) break
    }
    return best
  }

  #dispatch(): void {
    while (this.#waiting > 0 && this.#running < this.#places) {
      let best: Ticket | undefined
      let least = Number.POSITIVE_INFINITY
      for (const share of this.#shares.values()) {
        const use = share.running / Math.max(1, share.reserved)
        const ticket = use < least ? this.#nextIn(share) : undefined
        if (!ticket) continue
        best = ticket
        least = use
      }
      if (!best) return
      best.grant()
    }
  }
}
