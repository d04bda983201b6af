import type { PresenceChange, PresenceEntry } from './presence.ts'

type Entries = Map<string, PresenceEntry>

/** Presence that one node has published, by channel and reference. */
export class NodePresence {
  readonly #channels = new Map<string, Entries>()

  get isEmpty(): boolean {
    return this.#channels.size === 0
  }

  apply(channel: string, { joins, leaves }: PresenceChange): void {
    const entries: Entries = this.#channels.get(channel) ?? new Map<string, PresenceEntry>()
    for (const { ref } of leaves) entries.delete(ref)
    for (const entry of joins) entries.set(entry.ref, entry)
    this.#set(channel, entries)
  }

  /** Replaces the presence of a channel. @returns the difference; `undefined` if there is none */
  replace(channel: string, entries: readonly PresenceEntry[]): PresenceChange | undefined {
    const before: Entries = this.#channels.get(channel) ?? new Map<string, PresenceEntry>()
    const after: Entries = new Map(entries.map((entry) => [entry.ref, entry]))
    this.#set(channel, after)
    const joins = [...after.values()].filter(({ ref }) => !before.has(ref))
    const leaves = [...before.values()].filter(({ ref }) => !after.has(ref))
    return joins.length + leaves.length > 0 ? { joins, leaves } : undefined
  }

  entries(channel: string): readonly PresenceEntry[] {
    return [...(this.#channels.get(channel)?.values() ?? [])]
  }

  forget(channel: string): void {
    this.#channels.delete(channel)
  }

  /** Empties it. @returns what was present, by channel */
  clear(): readonly (readonly [string, readonly PresenceEntry[]])[] {
    const all = [...this.#channels].map(([channel, entries]) => [channel, [...entries.values()]] as const)
    this.#channels.clear()
    return all
  }

  #set(channel: string, entries: Entries): void {
    if (entries.size > 0) this.#channels.set(channel, entries)
    else this.#channels.delete(channel)
  }
}
