/** What one member shows of itself under its key. */
export interface PresenceEntry {
  readonly key: string
  /** Unique for each track. */
  readonly ref: string
  /** The payload of the member with `phx_ref`, and `phx_ref_prev` of what it replaces. */
  readonly meta: Readonly<Record<string, unknown>>
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

  render(): Metas {
    return groupByKey([...this.#entries.values()])
  }

  #delete(ref: string): void {
    this.#bytes -= this.#entries.get(ref)?.bytes ?? 0
    this.#entries.delete(ref)
  }
}

type Metas = Readonly<Record<string, { readonly metas: readonly PresenceEntry['meta'][] }>>

export function renderDiff({ joins, leaves }: PresenceChange): { readonly joins: Metas; readonly leaves: Metas } {
  return { joins: groupByKey(joins), leaves: groupByKey(leaves) }
}

function groupByKey(entries: readonly PresenceEntry[]): Metas {
  const groups = Map.groupBy(entries, ({ key }) => key)
  return Object.fromEntries([...groups].map(([key, own]) => [key, { metas: own.map(({ meta }) => meta) }]))
}

/** The entry of a member that shows `payload` now, after `previous` if it showed something. */
export function createEntry(
  key: string,
  ref: string,
  payload: Readonly<Record<string, unknown>>,
  previous: PresenceEntry | undefined,
): PresenceEntry {
  const meta = { ...payload, phx_ref: ref, ...(previous && { phx_ref_prev: previous.ref }) }
  return { key, ref, meta, bytes: Buffer.byteLength(JSON.stringify({ [key]: { metas: [meta] } })) }
}
