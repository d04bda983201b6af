import { randomUUID } from 'node:crypto'
import type { LogLevel } from '@holdfast/foundation'
import { KEPT_LOG_CHARACTERS_MAX, KEPT_LOG_LINES_MAX, LOGGED_FUNCTIONS_MAX } from '../limits.ts'

/** A line printed by a function or reporting its process's state. */
export interface KeptLine {
  /** ISO 8601 in UTC. */
  readonly at: string
  readonly function: string
  readonly level: LogLevel
  readonly text: string
  readonly request_id: string | null
}

export interface LogQuery {
  readonly function?: string | undefined
  readonly requestId?: string | undefined
  /** Cursor of an earlier response: return only later lines. */
  readonly after?: string | undefined
  /** Returns the last matching lines. */
  readonly limit: number
}

export interface LogPage {
  /** Oldest first. */
  readonly lines: readonly KeptLine[]
  /** For {@link LogQuery.after}. */
  readonly cursor: string
}

interface Kept extends KeptLine {
  readonly number: number
}

interface Shelf {
  lines: Kept[]
  characters: number
}

/** Keeps the last lines of each function in memory. The limits are per function, so a verbose function displaces only its own lines. */
export class LogStore {
  /** Identifies this process. A cursor from another process starts from the beginning. */
  readonly #id = randomUUID().slice(0, 8)
  readonly #shelves = new Map<string, Shelf>()
  readonly #waiting = new Set<() => void>()
  #last = 0

  add(line: KeptLine): void {
    const shelf = this.#shelfOf(line.function)
    shelf.lines.push({ ...line, number: ++this.#last })
    shelf.characters += line.text.length
    let dropped = 0
    while (shelf.lines.length - dropped > KEPT_LOG_LINES_MAX || shelf.characters > KEPT_LOG_CHARACTERS_MAX) {
      shelf.characters -= shelf.lines[dropped]?.text.length ?? 0
      dropped += 1
    }
    if (dropped > 0) shelf.lines.splice(0, dropped)
    for (const wake of this.#waiting) wake()
  }

  find({ function: name, requestId, after, limit }: LogQuery): LogPage {
    const since = this.#numberOf(after)
    const shelves = name === undefined ? [...this.#shelves.values()] : [this.#shelves.get(name)]
    const lines = shelves
      .flatMap((shelf) => shelf?.lines ?? [])
      .filter((line) => line.number > since && (requestId === undefined || line.request_id === requestId))
      .toSorted((one, other) => one.number - other.number)
      .slice(-limit)
      .map(({ at, function: of, level, text, request_id }) => ({ at, function: of, level, text, request_id }))
    return { lines, cursor: `${this.#id}.${this.#last}` }
  }

  /** Waits for a matching line after the cursor. @returns no lines on timeout */
  async follow(query: LogQuery, waitMs: number): Promise<LogPage> {
    const deadline = performance.now() + waitMs
    for (;;) {
      const page = this.find(query)
      const leftMs = deadline - performance.now()
      if (page.lines.length > 0 || leftMs <= 0) return page
      await this.#nextLine(leftMs)
    }
  }

  #nextLine(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs).unref()
      this.#waiting.add(wake)
    })
  }

  #numberOf(cursor: string | undefined): number {
    const [id, number] = cursor?.split('.') ?? []
    return id === this.#id ? Number(number) : 0
  }

  #shelfOf(name: string): Shelf {
    const shelf = this.#shelves.get(name) ?? { lines: [], characters: 0 }
    this.#shelves.delete(name)
    this.#shelves.set(name, shelf)
    const [oldest] = this.#shelves.keys()
    if (this.#shelves.size > LOGGED_FUNCTIONS_MAX && oldest !== undefined) this.#shelves.delete(oldest)
    return shelf
  }
}
