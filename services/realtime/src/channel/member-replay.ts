import { isRecord } from '@holdfast/foundation'
import type { FanOut } from '../wire/encode.ts'
import { replayInvalid, replayOfPublic } from '../errors.ts'
import { REPLAY_HELD_MAX, REPLAY_MESSAGES_MAX } from '../limits.ts'

/** Requested replay of earlier messages. */
export interface WantedReplay {
  readonly sinceMs: number
  readonly limit: number
}

/**
 * Parses the replay option.
 *
 * @returns `undefined` if no replay is requested
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

/** Holds back a member's live messages during a replay, and drops those that the replay already sent. */
export class MemberReplay {
  readonly #ids = new Set<string>()
  #held: { readonly fanOut: FanOut; readonly id: string | undefined }[] | undefined = []

  /** Returns whether to withhold a message because it is held or was already sent. @param id - of a database message */
  keeps(fanOut: FanOut, id: string | undefined): boolean {
    if (!this.#held) return id !== undefined && this.#ids.has(id)
    // Messages beyond the limit are lost, as any live message may be.
    if (this.#held.length < REPLAY_HELD_MAX) this.#held.push({ fanOut, id })
    return true
  }

  /** @param ids - of replayed messages @returns the held messages without these */
  end(ids: readonly string[]): readonly FanOut[] {
    const held = this.#held ?? []
    this.#held = undefined
    for (const id of ids) this.#ids.add(id)
    return held.flatMap(({ fanOut, id }) => (id !== undefined && this.#ids.has(id) ? [] : [fanOut]))
  }
}
