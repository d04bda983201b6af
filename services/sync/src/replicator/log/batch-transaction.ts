import { assert } from '@holdfast/foundation'
import type { Pool, Queryable, SqlFragment, Transaction } from '@holdfast/postgres'

/**
 * The transaction of a batch that is too large to hold in memory. It writes one chunk while the next is collected; all other statements wait for that write.
 */
export class BatchTransaction implements Queryable {
  readonly #pool: Pool
  #open: OpenTransaction | undefined
  /** The chunk that is being written. */
  #writing: Promise<void> = Promise.resolve()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    await this.#writing
    return this.#current.tx.query<Row>(statement)
  }

  async execute(statement: SqlFragment): Promise<number> {
    await this.#writing
    return this.#current.tx.execute(statement)
  }

  /** Starts writing a chunk after the previous write has finished. Opens the transaction if necessary. */
  async write(body: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#writing
    this.#open ??= await openTransaction(this.#pool)
    this.#setWriting(body(this.#open.tx))
  }

  /** Queues `body` behind the current write without waiting. */
  append(body: (tx: Transaction) => Promise<void>): void {
    const { tx } = this.#current
    this.#setWriting(this.#writing.then(() => body(tx)))
  }

  /** Waits for the current write, runs `body` and commits. */
  async commit(body: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#writing
    const open = this.#current
    await body(open.tx)
    await open.commit()
    this.#open = undefined
  }

  async rollback(): Promise<void> {
    await this.#writing.catch(() => undefined) // it is rolled back with the rest
    this.#writing = Promise.resolve()
    await this.#open?.rollback()
    this.#open = undefined
  }

  get #current(): OpenTransaction {
    assert(this.#open, 'a chunk opens a transaction')
    return this.#open
  }

  #setWriting(writing: Promise<void>): void {
    this.#writing = writing
    writing.catch(() => undefined) // the next statement throws it
  }
}

/** A transaction that stays open across calls, for source transactions that are too large to hold in memory. */
interface OpenTransaction {
  readonly tx: Transaction
  commit(): Promise<void>
  rollback(): Promise<void>
}

async function openTransaction(pool: Pool): Promise<OpenTransaction> {
  const opened = Promise.withResolvers<Transaction>()
  const finish = Promise.withResolvers<void>()
  const done = pool.transaction(async (tx) => {
    opened.resolve(tx)
    await finish.promise
  })
  done.catch(opened.reject)
  const tx = await opened.promise
  return {
    tx,
    async commit() {
      finish.resolve()
      await done
    },
    async rollback() {
      finish.reject(new Error('given up'))
      await done.catch(() => undefined) // the rejection is that of the line above, or the connection is gone: rolled back either way
    },
  }
}
