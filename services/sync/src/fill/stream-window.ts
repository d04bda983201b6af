import type { Lsn } from '@holdfast/replication'

/** Commit position for rows that were read: they belong to no transaction, and definitions accept changes from any position. */
export const ALWAYS = (2n ** 64n - 1n) as Lsn

/**
 * A window between two messages of the stream during which rows are read from a table. Rows changed in the window are recorded, because the change is newer
 * than the read.
 */
export abstract class StreamWindow {
  readonly #name: string
  readonly #opened = Promise.withResolvers<void>()
  readonly #applied = Promise.withResolvers<void>()
  /** Rows changed while the window was open. */
  protected readonly touched: Set<string> = new Set()

  constructor(name: string) {
    this.#name = name
  }

  /** Content of the message that opens the window. */
  get first(): string {
    return `${this.#name}/from`
  }
  /** Content of the message at which rows are written to the log. */
  get last(): string {
    return `${this.#name}/to`
  }
  /** Resolves when the window is open. */
  get opened(): Promise<void> {
    return this.#opened.promise
  }
  /** Resolves when all rows are in the log. */
  get applied(): Promise<void> {
    return this.#applied.promise
  }

  isOwnMessage(content: string): boolean {
    return content.startsWith(`${this.#name}/`)
  }

  /** Records the change of a row that may have been read. */
  markChanged(objectId: string): void {
    this.touched.add(objectId)
  }

  /** Call when all taken rows are in the log. */
  markApplied(): void {
    this.#applied.resolve()
  }

  /** Call when the stream delivers the first message. */
  protected markOpened(): void {
    this.#opened.resolve()
  }
}
