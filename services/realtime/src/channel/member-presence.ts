import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createEntry, type PresenceChange, type PresenceEntry } from '../presence/presence.ts'

type Payload = Readonly<Record<string, unknown>>

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

  /** @returns `undefined` when it shows this already */
  track(payload: Payload): PresenceChange | undefined {
    const previous = this.#shown
    if (previous && isDeepStrictEqual(previous.payload, payload)) return undefined
    const entry = createEntry(this.#key, randomUUID(), payload, previous?.entry)
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
