import { assert } from '../assert.ts'
import { Tally } from './tally.ts'

/** Limits of one group of callers, such as a service. */
export interface GroupLimits {
  /** Permits kept free for the group while it holds fewer, so that other groups cannot make it wait. Default: 0. */
  readonly reserved?: number
  /** Permits the group may hold even if others are free. Default: all. */
  readonly max?: number
  /** Permits one key may hold in the group. Default: {@link SemaphoreOptions.perKeyMax}. */
  readonly perKeyMax?: number
  /** Served before the other groups. */
  readonly isUrgent?: boolean
}

/** Which limit refused a request: that of its key, that of all permits, that of waiting requests, or its time-out. */
export type RefusalReason = 'key' | 'permits' | 'waiting' | 'timeout'

export interface SemaphoreOptions<Group extends string> {
  readonly permits: number
  /** Permits one key may hold. Default: all. */
  readonly perKeyMax?: number
  /** Whether a key may hold only as many permits as it leaves free: *k* keys that never stop asking leave one part in *k* + 1. */
  readonly leavesRoom?: boolean
  /** Requests that may wait; further ones are refused. Default: any number. */
  readonly waitingMax?: number
  /** Together they reserve at most all permits. Default: one group without limits of its own. */
  readonly groups?: Readonly<Record<Group, GroupLimits>>
  /** The error of a refused request. Default: {@link AdmissionError}. */
  readonly refuse?: (reason: RefusalReason) => Error
}

export interface PermitRequest<Group extends string> {
  /** The requester, such as a user. Without a key, limits per key do not apply. */
  readonly key?: unknown
  /** Required when the semaphore has groups. */
  readonly group?: Group
}

export interface WaitingRequest<Group extends string> extends PermitRequest<Group> {
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds after which the request is refused. Default: never. */
  readonly timeoutMs?: number
}

/** Gives the permits back. Later calls do nothing. */
export type Release = () => void

/** Default error for a refused request. */
export class AdmissionError extends Error {
  override readonly name = 'AdmissionError'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`refused by the limit on ${reason === 'timeout' ? 'waiting time' : reason}`)
    this.reason = reason
  }
}

/**
 * Limits concurrent work, with fair queueing by key.
 *
 * Among groups, an urgent one is served first, then the one furthest below its reserved permits. Inside a group, the key that holds the fewest permits is served
 * first, and among equals the one served longest ago: a key that floods the queue delays the first request of another key by at most one permit.
 */
export class Semaphore<Group extends string = never> {
  readonly #permits: number
  readonly #leavesRoom: boolean
  readonly #waitingMax: number
  readonly #refuse: (reason: RefusalReason) => Error
  readonly #groups: ReadonlyMap<string | undefined, GroupState>
  readonly #held = new Tally<unknown>()
  #waiting = 0

  constructor(options: SemaphoreOptions<Group>) {
    const { permits, perKeyMax, groups } = options
    this.#permits = permits
    this.#leavesRoom = options.leavesRoom ?? false
    this.#waitingMax = options.waitingMax ?? Infinity
    this.#refuse = options.refuse ?? ((reason) => new AdmissionError(reason))
    const limits: readonly (readonly [string | undefined, GroupLimits])[] = groups
      ? Object.entries<GroupLimits>(groups)
      : [[undefined, {}]]
    this.#groups = new Map(
      limits.map(([name, { reserved = 0, max = permits, isUrgent = false, ...group }]) => [
        name,
        {
          reserved,
          max,
          isUrgent,
          perKeyMax: group.perKeyMax ?? perKeyMax ?? Infinity,
          held: new Tally<unknown>(),
          waiting: new Map<unknown, Set<Ticket>>(),
        },
      ]),
    )
    const reserved = [...this.#groups.values()].reduce((sum, group) => sum + group.reserved, 0)
    assert(reserved <= permits, 'no more permits are reserved than there are')
  }

  /** Returns the number of held permits, waiting requests and entries kept per key, all of which are 0 when idle. */
  usage(): { readonly held: number; readonly waiting: number; readonly keys: number } {
    const groups = [...this.#groups.values()]
    const keys = groups.reduce((sum, { held, waiting }) => sum + held.keys + waiting.size, this.#held.keys)
    return { held: this.#held.total, waiting: this.#waiting, keys }
  }

  /**
   * Takes permits if they are free.
   *
   * @param weight - permits to take
   */
  tryAcquire(request: PermitRequest<Group> = {}, weight = 1): Release | undefined {
    const place = this.#placeOf(request)
    // Waiting requests cannot be granted now, so this one overtakes none of them.
    return this.#hasRoom(place.group, weight) && this.#keyHasRoom(place, weight) ? this.#take(place, weight) : undefined
  }

  /**
   * Takes permits at once.
   *
   * @param weight - permits to take
   * @throws the refusal, with reason `key` or `permits`
   */
  acquireNow(request: PermitRequest<Group> = {}, weight = 1): Release {
    const release = this.tryAcquire(request, weight)
    if (release) return release
    throw this.#refuse(this.#keyHasRoom(this.#placeOf(request), weight) ? 'permits' : 'key')
  }

  /**
   * Waits for a permit.
   *
   * @throws the refusal, with reason `waiting` or `timeout`; or the signal's reason
   */
  async acquire(request: WaitingRequest<Group> = {}): Promise<Release> {
    request.signal?.throwIfAborted()
    const release = this.tryAcquire(request)
    if (release) return release
    if (this.#waiting >= this.#waitingMax) throw this.#refuse('waiting')
    return await this.#wait(request)
  }

  /** Runs `body` with a permit. @throws what {@link acquire} and `body` throw */
  async run<T>(request: WaitingRequest<Group>, body: () => T | Promise<T>): Promise<T> {
    const release = await this.acquire(request)
    try {
      return await body()
    } finally {
      release()
    }
  }

  #placeOf({ group: name, key }: PermitRequest<Group>): Place {
    const group = this.#groups.get(name)
    assert(group, `the group ${name} is declared`)
    return { group, key }
  }

  #wait({ signal, timeoutMs, ...request }: WaitingRequest<Group>): Promise<Release> {
    return new Promise((resolve, reject) => {
      const ticket: Ticket = {
        ...this.#placeOf(request),
        grant: (release) => {
          leave()
          resolve(release)
        },
      }
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        this.#dequeue(ticket)
      }
      const giveUp = (reason: unknown): void => {
        leave()
        reject(reason as Error)
      }
      const onAbort = (): void => giveUp(signal?.reason)
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => giveUp(this.#refuse('timeout')), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#enqueue(ticket)
    })
  }

  #enqueue(ticket: Ticket): void {
    const { group, key = ticket } = ticket
    const own = group.waiting.get(key)
    if (own) own.add(ticket)
    else group.waiting.set(key, new Set([ticket]))
    this.#waiting++
  }

  #dequeue(ticket: Ticket): void {
    const { group, key = ticket } = ticket
    const own = group.waiting.get(key)
    own?.delete(ticket)
    if (own?.size === 0) group.waiting.delete(key)
    this.#waiting--
  }

  #hasRoom(group: GroupState, weight: number): boolean {
    if (group.held.total + weight > group.max) return false
    let left = this.#permits - this.#held.total - weight
    for (const other of this.#groups.values())
      if (other !== group) left -= Math.max(0, other.reserved - other.held.total)
    return left >= 0
  }

  #keyHasRoom({ group, key }: Place, weight: number): boolean {
    if (key === undefined) return true
    if (group.held.of(key) + weight > group.perKeyMax) return false
    return !this.#leavesRoom || this.#held.of(key) + weight <= this.#permits - this.#held.total - weight + 1
  }

  #take({ group, key }: Place, weight: number): Release {
    const count = (change: number): void => {
      this.#held.add(key, change)
      group.held.add(key, change)
    }
    count(weight)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      count(-weight)
      this.#dispatch()
    }
  }

  /** Serves waiting requests until none can be granted. */
  #dispatch(): void {
    while (this.#waiting > 0 && this.#held.total < this.#permits) {
      let next: Ticket | undefined
      let least = Infinity
      for (const group of this.#groups.values()) {
        const use = group.isUrgent ? -1 : group.held.total / Math.max(1, group.reserved)
        const ticket = use < least ? this.#nextIn(group) : undefined
        if (!ticket) continue
        next = ticket
        least = use
      }
      if (!next) return
      const { group, key = next } = next
      next.grant(this.#take(next, 1))
      const others = group.waiting.get(key)
      if (!others) continue
      // The other requests of this key wait behind those of all other keys.
      group.waiting.delete(key)
      group.waiting.set(key, others)
    }
  }

  #nextIn(group: GroupState): Ticket | undefined {
    if (group.waiting.size === 0 || !this.#hasRoom(group, 1)) return undefined
    let best: Ticket | undefined
    let fewest = Infinity
    for (const [ticket] of group.waiting.values()) {
      if (!ticket || !this.#keyHasRoom(ticket, 1)) continue
      const held = this.#held.of(ticket.key)
      if (held >= fewest) continue
      best = ticket
      fewest = held
      if (held === 0) break
    }
    return best
  }
}

interface Place {
  readonly group: GroupState
  readonly key: unknown
}

interface Ticket extends Place {
  readonly grant: (release: Release) => void
}

interface GroupState extends Required<GroupLimits> {
  readonly held: Tally<unknown>
  /** By key, the one served longest ago first; a request without a key has its own place. */
  readonly waiting: Map<unknown, Set<Ticket>>
}
