import type { ChannelCaller, Extension, ReadRights, Rights } from '../access/rights.ts'
import type { Identity } from '../access/tokens.ts'
import { unauthorizedTopic } from '../errors.ts'
import { RIGHTS_RETRY_MS } from '../limits.ts'

/** What one member of a channel may do. Public channels ask for nothing. Answers hold until the token changes, or they are due again. */
export class MemberRights {
  readonly #rights: Rights
  readonly #name: string
  readonly #isPrivate: boolean
  readonly #writes = new Map<Extension, boolean>()
  readonly #everyMs: number
  #dueMs = Number.POSITIVE_INFINITY

  /** @param everyMs - after this time at the latest the policies are asked again */
  constructor(rights: Rights, name: string, isPrivate: boolean, everyMs: number) {
    this.#rights = rights
    this.#name = name
    this.#isPrivate = isPrivate
    this.#everyMs = everyMs
  }

  /** @throws {HoldfastError} `Unauthorized` when the caller may read nothing of the channel */
  async read(caller: ChannelCaller, wantsPresence: boolean, nowMs: number): Promise<ReadRights> {
    this.#writes.clear()
    if (!this.#isPrivate) return { broadcast: true, presence: wantsPresence }
    // Members that came together do not ask together.
    this.#dueMs = nowMs + this.#everyMs * (1 + Math.random()) * 0.5
    const rights = await this.#rights.read(
      caller,
      this.#name,
      wantsPresence ? ['broadcast', 'presence'] : ['broadcast'],
    )
    if (!rights.broadcast && !rights.presence) throw unauthorizedTopic(this.#name)
    return rights
  }

  /** Whether the policies have to be asked again. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#dueMs
  }

  /** Nothing is due while the policies are asked. */
  begin(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  /** They could not be asked: the answers that are known hold for some longer. */
  postpone(nowMs: number): void {
    this.#dueMs = nowMs + RIGHTS_RETRY_MS
  }

  /** @returns `undefined` when Postgres has to be asked first: {@link checkWrite} */
  canWrite(extension: Extension): boolean | undefined {
    return this.#isPrivate ? this.#writes.get(extension) : true
  }

  async checkWrite(caller: ChannelCaller, extension: Extension): Promise<boolean> {
    const answer = await this.#rights.write(caller, this.#name, extension)
    this.#writes.set(extension, answer)
    return answer
  }
}

/** On whose behalf Postgres is asked: whoever has not signed in counts as their address. */
export function callerOf({ role, claims }: Identity, address: string): ChannelCaller {
  const { sub } = claims
  const person = typeof sub === 'string' ? sub : `address ${address}`
  return { role, claims, person: role === 'service_role' ? undefined : person }
}
