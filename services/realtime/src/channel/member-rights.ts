import type { ChannelCaller, Extension, ReadRights, Rights } from '../access/rights.ts'
import type { Identity } from '../access/tokens.ts'
import { unauthorizedTopic } from '../errors.ts'
import { RIGHTS_RETRY_MS } from '../limits.ts'

/** A member's rights in a channel. Public channels need none. Results are cached until the token changes or a recheck is due. */
export class MemberRights {
  readonly #rights: Rights
  readonly #name: string
  readonly #isPrivate: boolean
  readonly #writes = new Map<Extension, boolean>()
  readonly #everyMs: number
  #dueMs = Number.POSITIVE_INFINITY

  /** @param everyMs - maximum time between rechecks */
  constructor(rights: Rights, name: string, isPrivate: boolean, everyMs: number) {
    this.#rights = rights
    this.#name = name
    this.#isPrivate = isPrivate
    this.#everyMs = everyMs
  }

  /** @throws {HoldfastError} `Unauthorized` if the caller may read nothing of the channel */
  async read(caller: ChannelCaller, wantsPresence: boolean, nowMs: number): Promise<ReadRights> {
    this.#writes.clear()
    if (!this.#isPrivate) return { broadcast: true, presence: wantsPresence }
    // Jitter, so that members who joined together are not rechecked together.
    this.#dueMs = nowMs + this.#everyMs * (1 + Math.random()) * 0.5
    const rights = await this.#rights.read(
      caller,
      this.#name,
      wantsPresence ? ['broadcast', 'presence'] : ['broadcast'],
    )
    if (!rights.broadcast && !rights.presence) throw unauthorizedTopic(this.#name)
    return rights
  }

  /** Whether a recheck is due. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueMs
  }

  /** Suspends rechecks while one is running. */
  begin(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  /** Postpones a failed recheck; cached results stay valid. */
  postpone(nowMs: number): void {
    this.#dueMs = nowMs + RIGHTS_RETRY_MS
  }

  /** @returns `undefined` if {@link checkWrite} must be called first */
  canWrite(extension: Extension): boolean | undefined {
    return this.#isPrivate ? this.#writes.get(extension) : true
  }

  async checkWrite(caller: ChannelCaller, extension: Extension): Promise<boolean> {
    const answer = await this.#rights.write(caller, this.#name, extension)
    this.#writes.set(extension, answer)
    return answer
  }
}

/** Returns the identity for policies. Anonymous users are keyed by address. */
export function callerOf({ role, claims }: Identity, address: string): ChannelCaller {
  const { sub } = claims
  const person = typeof sub === 'string' ? sub : `address ${address}`
  return { role, claims, person: role === 'service_role' ? undefined : person }
}
