import { assert } from '@holdfast/foundation'
import type { Pool, Queryable, SqlFragment, Transaction } from '@holdfast/postgres'

/**
 * The transaction of a batch that is larger than memory should hold. A chunk is written while the next one is collected; every statement here runs behind the
 * chunk that is being written.
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

  /** Starts to write a chunk when the one before is written, and opens the transaction if it is not open. */
  async write(body: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#writing
    this.#open ??= await openTransaction(this.#pool)
    this.#setWriting(body(this.#open.tx))
  }

  /** Adds to the chunk that is being written, without waiting for it. */
  append(body: (tx: Transaction) => Promise<void>): void {
    const { tx } = this.#current
    this.#setWriting(this.#writing.then(() => body(tx)))
  }

  /** Commits when the chunk is written and `body` has run. */
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

/** A transaction that is open across several calls, because the source's transaction is larger than memory should hold. */
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
      await done.catch(() => undefined) // the rejection is the one of the line above, or the connection is gone: rolled back either way
    },
  }
}
