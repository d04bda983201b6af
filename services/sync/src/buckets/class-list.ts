import { LEFT_OUT_AUTHORS_MAX, LEFT_OUT_CLASSES_MAX } from '../limits.ts'

/** The values of the key columns that rows of one class have in common. */
export type ClassKey = readonly (string | null)[]

export interface ClassEntry {
  /** Name of its bucket. */
  readonly name: string
  readonly key: ClassKey
}

/** The classes of one definition that rows are, or were, in. Only grows, so that a position in it stays one. */
export interface ClassList {
  /** The same for buckets that are made again; see {@link classListId}. */
  readonly id: string
  readonly entries: readonly ClassEntry[]
  /** How many of the keys, from the first on, are those of a link. */
  readonly linked: number
  /** How many combinations of the other keys there are: each is asked for. */
  readonly count: number
  /** Those with these values of the link's keys. */
  under(linkKey: ClassKey): readonly ClassEntry[]
  /** Whether the class is in the list, or known to be left out. */
  has(name: string): boolean
  /**
   * Called for the first row of a new class. Above the most that there may be, and above an author's share, the class is left out.
   *
   * @param author - who brought it; `null` when it did not come through the API
   */
  add(name: string, key: ClassKey, author: string | null): 'listed' | 'left out'
  /** Whether there are more classes than are asked for: whoever sees rows of the others does not get them. */
  readonly leavesOut: boolean
  /** How many are left out, at least. */
  readonly leftOut: number
  /** Authors who have brought more than their share, with how many of theirs are left out, at least. */
  readonly leftOutOf: ReadonlyMap<string, number>
  /** Names of classes that are left out, as far as they are remembered. */
  leftOutNames(): readonly string[]
  /** Grows when it leaves classes out for a reason that devices have not been told of. */
  readonly leftOutVersion: number
  /** The most that there may be, and that one author may bring. */
  readonly max: number
  readonly perAuthorMax: number
  /** The table, and the policy that ties it to people. */
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

/** Remembers some of the classes that are left out, by whose share is full; `null`: the list is. */
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
    /** @returns whether it is for a new reason */
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
