import type { ChangeTap, Relation, ReplicationEvent, Tuple } from '@holdfast/replication'
import { FORWARDED_FOR_CHECKS, SHARED_CHECK_MS, TRANSACTION_BYTES_MAX } from '../limits.ts'
import { SCHEMA_PREFIX, type WantedTables } from './change-source.ts'
import { concerns } from './subscription.ts'

interface Follower {
  tables: readonly WantedTables[]
  silentChecks: number
  /** Changes when passing on was interrupted. */
  readonly session: number
}

export interface ForwarderOptions {
  readonly tap: Pick<ChangeTap, 'listen'>
  readonly pass: (events: readonly ReplicationEvent[]) => void
  /** Called for a transaction that is too large to be passed on. */
  readonly passLoss: () => void
}

/** Passes changes of the tables that other servers want from the server that reads them. Listens only while one wants any. */
export class ChangeForwarder implements Disposable {
  readonly #options: ForwarderOptions
  readonly #followers = new Map<string, Follower>()
  readonly #timer: NodeJS.Timeout
  #sessions = 0
  #listening: Disposable | undefined
  /** Of the transaction being read, until something of it is passed on. */
  #begin: ReplicationEvent | undefined
  #isPassing = false
  #bytes = 0

  constructor(options: ForwarderOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#check(), SHARED_CHECK_MS)
    this.#timer.unref()
  }

  /** Begins or continues to pass on changes. @returns the session */
  want(node: string, tables: readonly WantedTables[]): number {
    let follower = this.#followers.get(node)
    if (!follower) this.#followers.set(node, (follower = { tables, silentChecks: 0, session: ++this.#sessions }))
    follower.tables = tables
    follower.silentChecks = 0
    this.#listening ??= this.#options.tap.listen((events) => this.#read(events))
    return follower.session
  }

  /** Forgets all servers, because this one no longer reads the changes. */
  clear(): void {
    this.#followers.clear()
    this.#listening?.[Symbol.dispose]()
    this.#listening = undefined
    this.#endTransaction()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #check(): void {
    for (const [node, follower] of this.#followers)
      if (++follower.silentChecks > FORWARDED_FOR_CHECKS) this.#followers.delete(node)
    if (this.#followers.size === 0) this.clear()
  }

  #read(events: readonly ReplicationEvent[]): void {
    const passed: ReplicationEvent[] = []
    for (const event of events) this.#take(event, passed)
    if (passed.length > 0) this.#options.pass(passed)
  }

  #take(event: ReplicationEvent, passed: ReplicationEvent[]): void {
    switch (event.kind) {
      case 'begin':
        this.#endTransaction()
        this.#begin = event
        return
      case 'insert':
      case 'update':
      case 'delete':
      case 'incomplete':
        if (this.#isWanted(event.relation)) this.#add(event, passed)
        return
      case 'message':
        if (event.prefix === SCHEMA_PREFIX) this.#add(event, passed)
        return
      case 'commit':
        if (this.#isPassing) passed.push(event)
        this.#endTransaction()
        return
      default:
    }
  }

  #add(event: ReplicationEvent, passed: ReplicationEvent[]): void {
    this.#bytes += bytesOf(event)
    if (this.#bytes > TRANSACTION_BYTES_MAX) {
      this.#endTransaction()
      this.#options.passLoss()
      return
    }
    if (this.#begin) passed.push(this.#begin)
    this.#isPassing ||= this.#begin !== undefined
    this.#begin = undefined
    // Not the rest of a transaction whose beginning was not read.
    if (this.#isPassing) passed.push(event)
  }

  #endTransaction(): void {
    this.#begin = undefined
    this.#isPassing = false
    this.#bytes = 0
  }

  #isWanted(relation: Relation): boolean {
    for (const { tables } of this.#followers.values())
      if (tables.some((wanted) => concerns(wanted, relation))) return true
    return false
  }
}

function bytesOf(event: ReplicationEvent): number {
  const sum = (tuple: Tuple): number => tuple.reduce((bytes, value) => bytes + (value?.length ?? 0), 0)
  return ('row' in event ? sum(event.row) : 0) + ('old' in event ? sum(event.old) : 0)
}
