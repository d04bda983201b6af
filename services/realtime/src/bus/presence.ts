/** Presence of one member under its key. */
export interface PresenceEntry {
  readonly key: string
  /** Unique per track. */
  readonly ref: string
  /** JSON text: the member's payload with `phx_ref`, and `phx_ref_prev` when it replaces another. */
  readonly meta: string
  /** Approximate size in the topic's state. */
  readonly bytes: number
}

/** Joins and leaves in one step. */
export interface PresenceChange {
  readonly joins: readonly PresenceEntry[]
  readonly leaves: readonly PresenceEntry[]
}

/** Presence of a topic's members, in order of joining. */
export class PresenceState {
  readonly #entries = new Map<string, PresenceEntry>()
  #bytes = 0

  /** Approximate rendered size. */
  get bytes(): number {
    return this.#bytes
  }

  /** Applies a change. Idempotent: leaving twice is harmless. */
  apply({ joins, leaves }: PresenceChange): void {
    for (const { ref } of leaves) this.#delete(ref)
    for (const entry of joins) {
      this.#delete(entry.ref)
      this.#entries.set(entry.ref, entry)
      this.#bytes += entry.bytes
    }
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size
  }

  /** Counts the entries under each key; the first `keysMax` keys in order of joining. */
  countByKey(keysMax: number): readonly { readonly key: string; readonly entries: number }[] {
    const counts = new Map<string, number>()
    for (const { key } of this.#entries.values()) {
      const count = counts.get(key)
      if (count !== undefined || counts.size < keysMax) counts.set(key, (count ?? 0) + 1)
    }
    return [...counts].map(([key, entries]) => ({ key, entries }))
  }

  /** Renders the state as JSON text. */
  render(): string {
    return groupByKey([...this.#entries.values()])
  }

  #delete(ref: string): void {
    this.#bytes -= this.#entries.get(ref)?.bytes ?? 0
    this.#entries.delete(ref)
  }
}

/** Renders a change as JSON text. */
export function renderDiff({ joins, leaves }: PresenceChange): string {
  return `{"joins":${groupByKey(joins)},"leaves":${groupByKey(leaves)}}`
}

function groupByKey(entries: readonly PresenceEntry[]): string {
  const groups = Map.groupBy(entries, ({ key }) => key)
  const members = [...groups].map(([key, own]) => renderMember(key, own))
  return `{${members.join(',')}}`
}

function renderMember(key: string, entries: readonly Pick<PresenceEntry, 'meta'>[]): string {
  return `${JSON.stringify(key)}:{"metas":[${entries.map(({ meta }) => meta).join(',')}]}`
}

/**
 * Creates the entry for a member's new payload, replacing `previous` if any.
 *
 * @param payload - JSON text of an object. Parsers take the last of duplicate names, so members cannot forge references
 */
export function createEntry(
  key: string,
  ref: string,
  payload: string,
  previous: PresenceEntry | undefined,
): PresenceEntry {
  const refs = JSON.stringify({ phx_ref: ref, ...(previous && { phx_ref_prev: previous.ref }) })
  const own = payload.trim().slice(1, -1).trim()
  const meta = own === '' ? refs : `{${own},${refs.slice(1)}`
  return { key, ref, meta, bytes: Buffer.byteLength(`{${renderMember(key, [{ meta }])}}`) }
}
