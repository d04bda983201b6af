import type { Lsn } from '@holdfast/replication'

/** Rows that were read belong to no transaction; definitions take changes of any position from here on. */
export const ALWAYS = (2n ** 64n - 1n) as Lsn

/**
 * Rows that are read from a table between two messages of the stream. Changes of the same rows in between are noted, since they are newer than what was
 * read.
 */
export abstract class StreamWindow {
  readonly #name: string
  readonly #opened = Promise.withResolvers<void>()
  readonly #applied = Promise.withResolvers<void>()
  /** Rows that were changed while the window was open. */
  protected readonly touched: Set<string> = new Set()

  constructor(name: string) {
    this.#name = name
  }

  /** Content of the message from which on changes are noted. */
  get first(): string {
    return `${this.#name}/from`
  }
  /** Content of a message at which rows go into the log. */
  get last(): string {
    return `${this.#name}/to`
  }
  /** Resolves when changes are noted. */
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

  /** A row that may be among those that are read was changed: the change brings it. */
  markChanged(objectId: string): void {
    this.touched.add(objectId)
  }

  /** Everything that was taken is in the log. */
  markApplied(): void {
    this.#applied.resolve()
  }

  /** The stream has delivered the first message. */
  protected markOpened(): void {
    this.#opened.resolve()
  }
}
