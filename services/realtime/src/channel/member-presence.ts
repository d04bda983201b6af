import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../wire/decode.ts'
import { createEntry, type PresenceChange, type PresenceEntry } from '../presence/presence.ts'

type Payload = Readonly<Record<string, unknown>>

export type PresenceCall =
  /** `undefined`: nothing any more. */
  | { readonly action: 'show'; readonly shown: Payload | undefined }
  | { readonly action: 'refused'; readonly reason: string }

/** Reads what a client asks for with a message of presence. */
export function parsePresenceCall(message: unknown): PresenceCall {
  const { event, payload = {} } = isRecord(message) ? message : {}
  const action = typeof event === 'string' ? event.toLowerCase() : ''
  if (action !== 'track' && action !== 'untrack')
    return { action: 'refused', reason: 'A presence event is track or untrack' }
  if (!isRecord(payload)) return { action: 'refused', reason: 'Presence track payload must be a map' }
  return { action: 'show', shown: action === 'track' ? payload : undefined }
}

/** What one member shows of itself. */
export class MemberPresence {
  readonly #key: string
  #shown: { readonly entry: PresenceEntry; readonly payload: Payload } | undefined

  /** @param key - as the client chose it; empty for one of its own */
  constructor(key: string) {
    this.#key = key === '' ? randomUUID() : key
  }

  get isShown(): boolean {
    return this.#shown !== undefined
  }

  /**
   * @param roomBytes - how much more the topic may have
   * @returns `undefined` when it shows this already; `full` when there is no room: it shows what it showed before
   */
  track(payload: Payload, roomBytes: number): PresenceChange | 'full' | undefined {
    const previous = this.#shown
    if (previous && isDeepStrictEqual(previous.payload, payload)) return undefined
    const entry = createEntry(this.#key, randomUUID(), payload, previous?.entry)
    const moreBytes = entry.bytes - (previous?.entry.bytes ?? 0)
    if (moreBytes > Math.max(0, roomBytes)) return 'full'
    this.#shown = { entry, payload }
    return { joins: [entry], leaves: previous ? [previous.entry] : [] }
  }

  /** @returns `undefined` when it shows nothing */
  untrack(): PresenceChange | undefined {
    const previous = this.#shown
    this.#shown = undefined
    return previous && { joins: [], leaves: [previous.entry] }
  }
}
