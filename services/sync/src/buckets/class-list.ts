import { LEFT_OUT_AUTHORS_MAX, LEFT_OUT_CLASSES_MAX } from '../limits.ts'

/** The key values shared by the rows of one class. */
export type ClassKey = readonly (string | null)[]

export interface ClassEntry {
  /** Name of the class's bucket. */
  readonly name: string
  readonly key: ClassKey
}

/** The classes of one definition that rows are or were in. Append-only, so positions in it stay valid. */
export interface ClassList {
  /** Stays the same when the buckets are recreated; see {@link classListId}. */
  readonly id: string
  readonly entries: readonly ClassEntry[]
  /** Number of leading keys that belong to a link. */
  readonly linked: number
  /** Number of distinct values of the other keys. Each is evaluated for every user. */
  readonly count: number
  /** Returns the entries with these link keys. */
  under(linkKey: ClassKey): readonly ClassEntry[]
  /** Whether the class is listed, or known to be omitted. */
  has(name: string): boolean
  /**
   * Adds the class of a row. Beyond `max`, or the author's `perAuthorMax`, new classes are omitted.
   *
   * @param author - author of the row; `null` if it did not come through the API
   */
  add(name: string, key: ClassKey, author: string | null): 'listed' | 'left out'
  /** Whether classes are omitted. Users do not get the rows of omitted classes. */
  readonly leavesOut: boolean
  /** Number of omitted classes, as far as known. */
  readonly leftOut: number
  /** Number of omitted classes per author who exceeded their share, as far as known. */
  readonly leftOutOf: ReadonlyMap<string, number>
  /** Names of the remembered omitted classes. */
  leftOutNames(): readonly string[]
  /** Increases when classes are omitted for a reason that devices do not know yet. */
  readonly leftOutVersion: number
  /** Limits in total and per author. */
  readonly max: number
  readonly perAuthorMax: number
  /** The table and its policy. */
  readonly table: string
  readonly policy: string | undefined
  /** Sets the listener that is called whenever a class is added. */
  onAdd(listener: () => void): void
}

/** Scope and limits of a list. */
export type ClassListOptions = Pick<ClassList, 'id' | 'linked' | 'max' | 'perAuthorMax' | 'table' | 'policy'>

export function createClassList(options: ClassListOptions): ClassList {
  const { linked, max, perAuthorMax } = options
  const entries: ClassEntry[] = []
  const byLink = new Map<string, ClassEntry[]>()
  const asked = new Set<string>()
  const names = new Set<string>()
  const broughtBy = new Map<string, number>()
  const leftOut = createLeftOutClasses()
  let listener = (): void => undefined

  function list(name: string, key: ClassKey): void {
    names.add(name)
    const entry = { name, key }
    const linkKey = JSON.stringify(key.slice(0, linked))
    const same = byLink.get(linkKey)
    if (same) same.push(entry)
    else byLink.set(linkKey, [entry])
    entries.push(entry)
    listener()
  }

  return {
    ...options,
    entries,
    get leavesOut() {
      return leftOut.count > 0
    },
    get leftOut() {
      return leftOut.count
    },
    get leftOutVersion() {
      return leftOut.version
    },
    get leftOutOf() {
      return leftOut.byAuthor()
    },
    leftOutNames: leftOut.names,
    get count() {
      return asked.size
    },
    under: (linkKey) => byLink.get(JSON.stringify(linkKey)) ?? [],
    has: (name) => names.has(name) || leftOut.has(name),
    add(name, key, author) {
      if (names.has(name)) return 'listed'
      const askedKey = JSON.stringify(key.slice(linked))
      if (!asked.has(askedKey)) {
        const brought = author === null ? 0 : (broughtBy.get(author) ?? 0)
        const isOverShare = author !== null && brought >= perAuthorMax
        if (isOverShare || asked.size >= max) {
          if (leftOut.add(name, isOverShare ? author : null)) listener()
          return 'left out'
        }
        asked.add(askedKey)
        if (author !== null) broughtBy.set(author, brought + 1)
      }
      list(name, key)
      return 'listed'
    },
    onAdd(next) {
      listener = next
    },
  }
}

/** Remembers some omitted classes by reason: the author whose share is used up, or `null` if the list is full. */
function createLeftOutClasses() {
  const byReason = new Map<string | null, Set<string>>()
  let version = 0
  return {
    get version() {
      return version
    },
    get count() {
      return [...byReason.values()].reduce((sum, { size }) => sum + size, 0)
    },
    has: (name: string) => [...byReason.values()].some((names) => names.has(name)),
    names: () => [...byReason.values()].flatMap((names) => [...names]),
    byAuthor: (): ReadonlyMap<string, number> =>
      new Map([...byReason].flatMap(([author, { size }]) => (author === null ? [] : [[author, size]]))),
    /** @returns whether the reason is new */
    add(name: string, author: string | null): boolean {
      const known = byReason.get(author)
      if (known) {
        if (known.size < LEFT_OUT_CLASSES_MAX) known.add(name)
        return false
      }
      if (author !== null && byReason.size > LEFT_OUT_AUTHORS_MAX) return false
      byReason.set(author, new Set([name]))
      version++
      return true
    },
  }
}
