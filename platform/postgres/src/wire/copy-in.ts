import type { ClientBase, Submittable } from 'pg'
import { copyDataHead } from './messages.ts'

/** The part of the driver's connection needed for `COPY … FROM STDIN`. */
interface WireConnection {
  query(text: string): void
  endCopyFrom(): void
  stream: { writable: boolean; cork(): void; uncork(): void; write(bytes: Buffer): void }
}

/**
 * A `COPY … FROM STDIN` on a driver client, fed with prepared buffers.
 *
 * Implements the driver's `Submittable` contract, as its cursor and query-stream packages do.
 */
class CopyIn {
  readonly #text: string
  readonly #chunks: readonly Buffer[]
  readonly #settle: (error: Error | undefined) => void
  #error: Error | undefined

  constructor(text: string, chunks: readonly Buffer[], settle: (error: Error | undefined) => void) {
    this.#text = text
    this.#chunks = chunks
    this.#settle = settle
  }

  submit(connection: WireConnection): void {
    connection.query(this.#text)
  }
  handleCopyInResponse(connection: WireConnection): void {
    if (!connection.stream.writable) return // the connection is lost, as the driver reports
    connection.stream.cork()
    for (const chunk of this.#chunks) {
      // Avoids copying the bytes; the driver would copy them twice.
      connection.stream.write(copyDataHead(chunk.length))
      connection.stream.write(chunk)
    }
    connection.endCopyFrom()
    connection.stream.uncork()
  }
  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleError(error: Error): void {
    this.#error = error
    this.#settle(error)
  }
  handleReadyForQuery(): void {
    if (this.#error === undefined) this.#settle(undefined)
  }
}

/** Sends `chunks` as data of `text` (`copy … from stdin …`). Resolves when Postgres has accepted everything. */
export function copyIn(client: ClientBase, text: string, chunks: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const submittable = new CopyIn(text, chunks, (error) => (error ? reject(error) : resolve()))
    client.query(submittable as unknown as Submittable)
  })
}
