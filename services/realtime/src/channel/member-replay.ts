import type { FanOut } from '../wire/encode.ts'
import { replayInvalid, replayOfPublic } from '../errors.ts'
import { REPLAY_HELD_MAX, REPLAY_MESSAGES_MAX } from '../limits.ts'
import { isRecord } from '../wire/decode.ts'

/** Which messages from before its join a client asks for. */
export interface WantedReplay {
  readonly sinceMs: number
  readonly limit: number
}

/**
 * Reads what a client asks for.
 *
 * @returns `undefined` when it asks for nothing
 * @throws {HoldfastError} `UnableToReplayMessages`
 */
export function parseReplay(replay: unknown, isPrivate: boolean): WantedReplay | undefined {
  if (replay === undefined || replay === null) return undefined
  const { since, limit = REPLAY_MESSAGES_MAX } = isRecord(replay) ? replay : {}
  if (!isCount(since, Number.MAX_SAFE_INTEGER) || !isCount(limit, REPLAY_MESSAGES_MAX) || limit === 0)
    throw replayInvalid()
  if (!isPrivate) throw replayOfPublic()
  return { sinceMs: since, limit }
}

function isCount(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
}

/** The live messages of a member while older ones are read: they wait, and those among the older ones are not sent twice. */
export class MemberReplay {
  readonly #ids = new Set<string>()
  #held: { readonly fanOut: FanOut; readonly id: string | undefined }[] | undefined = []

  /** Whether a message is not to be sent now: it waits, or was sent already. @param id - of a message in the database */
  keeps(fanOut: FanOut, id: string | undefined): boolean {
    if (!this.#held) return id !== undefined && this.#ids.has(id)
    // Messages beyond the limit are lost, as every live message may be.
    if (this.#held.length < REPLAY_HELD_MAX) this.#held.push({ fanOut, id })
    return true
  }

  /** @param ids - of the messages that were sent @returns what has waited, without these */
  end(ids: readonly string[]): readonly FanOut[] {
    const held = this.#held ?? []
    this.#held = undefined
    for (const id of ids) this.#ids.add(id)
    return held.flatMap(({ fanOut, id }) => (id !== undefined && this.#ids.has(id) ? [] : [fanOut]))
  }
}
