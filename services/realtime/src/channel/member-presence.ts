import { isRecord } from '@holdfast/foundation'
import { randomUUID } from 'node:crypto'
import { PRESENCE_DEPTH_MAX } from '../limits.ts'
import { memberTexts } from '../wire/json-text.ts'
import { createEntry, type PresenceChange, type PresenceEntry } from '../bus/presence.ts'

export type PresenceCall =
  /** JSON text of an object; `undefined` to untrack. */
  | { readonly action: 'show'; readonly shown: string | undefined }
  | { readonly action: 'refused'; readonly reason: string }

/** Parses a presence message. @param text - its JSON, which is forwarded unchanged */
export function parsePresenceCall(message: unknown, text: string): PresenceCall {
  const { event, payload = {} } = isRecord(message) ? message : {}
  const action = typeof event === 'string' ? event.toLowerCase() : ''
  if (action !== 'track' && action !== 'untrack')
    return { action: 'refused', reason: 'A presence event must be track or untrack' }
  if (!isRecord(payload)) return { action: 'refused', reason: 'Presence track payload must be a map' }
  if (isDeeperThan(PRESENCE_DEPTH_MAX, payload))
    return { action: 'refused', reason: 'Presence track payload is nested too deeply' }
  return { action: 'show', shown: action === 'track' ? (memberTexts(text).get('payload') ?? '{}') : undefined }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeperThan(levels - 1, one))
}

/** Presence state of one member. */
export class MemberPresence {
  readonly #key: string
  readonly #keep: (bytes: number) => () => void
  #shown: { readonly entry: PresenceEntry; readonly payload: string; readonly forget: () => void } | undefined

  /**
   * @param key - chosen by the client; empty to generate one
   * @param keep - reserves memory and returns the release function; throws if there is no room
   */
  constructor(key: string, keep: (bytes: number) => () => void) {
    this.#key = key === '' ? randomUUID() : key
    this.#keep = keep
  }

  get isShown(): boolean {
    return this.#shown !== undefined
  }

  /**
   * @param payload - JSON text of an object
   * @param roomBytes - remaining space of the topic
   * @returns `undefined` if nothing changed; `full` if there is no room, which leaves the state unchanged
   */
  track(payload: string, roomBytes: number): PresenceChange | 'full' | undefined {
    const previous = this.#shown
    if (previous?.payload === payload) return undefined
    const entry = createEntry(this.#key, randomUUID(), payload, previous?.entry)
    const moreBytes = entry.bytes - (previous?.entry.bytes ?? 0)
    if (moreBytes > Math.max(0, roomBytes)) return 'full'
    const forget = this.#tryKeep(entry.bytes)
    if (!forget) return 'full'
    previous?.forget()
    this.#shown = { entry, payload, forget }
    return { joins: [entry], leaves: previous ? [previous.entry] : [] }
  }

  /** @returns `undefined` if nothing was tracked */
  untrack(): PresenceChange | undefined {
    const previous = this.#shown
    this.#shown = undefined
    previous?.forget()
    return previous && { joins: [], leaves: [previous.entry] }
  }

  #tryKeep(bytes: number): (() => void) | undefined {
    try {
      return this.#keep(bytes)
    } catch {
      return undefined // no room, the only error it throws
    }
  }
}
