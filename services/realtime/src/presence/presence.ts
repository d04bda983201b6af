/** What one member shows of itself under its key. */
export interface PresenceEntry {
  readonly key: string
  /** Unique for each track. */
  readonly ref: string
  /** JSON text: the payload as the member wrote it, with `phx_ref`, and `phx_ref_prev` of what it replaces. */
  readonly meta: string
  /** What it takes in the state of its topic, about. */
  readonly bytes: number
}

/** Who comes and who goes, in one step. */
export interface PresenceChange {
  readonly joins: readonly PresenceEntry[]
  readonly leaves: readonly PresenceEntry[]
}

/** What the members of a topic show, in the order in which they came. */
export class PresenceState {
  readonly #entries = new Map<string, PresenceEntry>()
  #bytes = 0

  /** What it takes as clients read it, about. */
  get bytes(): number {
    return this.#bytes
  }

  /** Changes it as the change says, whatever came before: what goes twice is gone once. */
  apply({ joins, leaves }: PresenceChange): void {
    for (const { ref } of leaves) this.#delete(ref)
    for (const entry of joins) {
      this.#delete(entry.ref)
      this.#entries.set(entry.ref, entry)
      this.#bytes += entry.bytes
    }
  }

  /** Returns the state as JSON text. */
  render(): string {
    return groupByKey([...this.#entries.values()])
  }

  #delete(ref: string): void {
    this.#bytes -= this.#entries.get(ref)?.bytes ?? 0
    this.#entries.delete(ref)
  }
}

/** Returns a change as JSON text. */
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
 * The entry of a member that shows `payload` now, after `previous` if it showed something.
 *
 * @param payload - JSON text of an object. Parsers take the last of repeated names, so that no member can forge its reference
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
