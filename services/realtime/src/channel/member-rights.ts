import type { Asker, Extension, ReadRights, Rights } from '../access/rights.ts'
import { unauthorizedTopic } from '../errors.ts'

/** What one member of a channel may do. Public channels ask for nothing. Answers hold until the token changes. */
export class MemberRights {
  readonly #rights: Rights
  readonly #name: string
  readonly #isPrivate: boolean
  readonly #writes = new Map<Extension, boolean>()

  constructor(rights: Rights, name: string, isPrivate: boolean) {
    this.#rights = rights
    this.#name = name
    this.#isPrivate = isPrivate
  }

  /** @throws {HoldfastError} `Unauthorized` when the caller may read nothing of the channel */
  async read(asker: Asker, wantsPresence: boolean): Promise<ReadRights> {
    this.#writes.clear()
    if (!this.#isPrivate) return { broadcast: true, presence: wantsPresence }
    const rights = await this.#rights.read(asker, this.#name, wantsPresence ? ['broadcast', 'presence'] : ['broadcast'])
    if (!rights.broadcast && !rights.presence) throw unauthorizedTopic(this.#name)
    return rights
  }

  /** @returns `undefined` when Postgres has to be asked first: {@link askWrite} */
  canWrite(extension: Extension): boolean | undefined {
    return this.#isPrivate ? this.#writes.get(extension) : true
  }

  async askWrite(asker: Asker, extension: Extension): Promise<boolean> {
    const answer = await this.#rights.write(asker, this.#name, extension)
    this.#writes.set(extension, answer)
    return answer
  }
}
