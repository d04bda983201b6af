import { isDeepStrictEqual } from 'node:util'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Pool, PoolShare } from '@holdfast/postgres'
import type { Lsn, Relation, TableName } from '@holdfast/replication'
import {
  BATCH_BYTES_MAX,
  BATCH_CHANGES_MAX,
  INFO_LIFETIME_MS,
  WAITING_CHANGES_BYTES_MAX,
  WAITING_CHANGES_MAX,
} from '../limits.ts'
import { findAddressees, subscriptionsOf } from './addressees.ts'
import { readUnreadClaims } from './classes.ts'
import { deliverChange } from './deliver-change.ts'
import { prepareChanges, type RowChange } from './prepare-changes.ts'
import type { Subscription } from './subscription.ts'
import { SubscriptionIndex, type SubscriberClass } from './subscription-index.ts'
import { readTableInfo, type TableInfo } from './table-info.ts'
import { waitUntilVisible } from './visible-transactions.ts'

/** Dependencies for evaluating changes. */
export interface ChangeContext {
  /** Reads the catalog. */
  readonly pool: Pool
  /** As `holdfast_reader`: reads memberships without policies. */
  readonly readerPool: Pool
  /** As `holdfast_evaluator`. */
  readonly evaluatorPool: Pool
  /** As `authenticator`: evaluates policies as users. */
  readonly share: PoolShare
  /** End of the Postgres log when this server opened; `undefined` until read. */
  readonly opened: () => Lsn | undefined
  /** Whether the stream includes some tables. */
  readonly areFollowed: (tables: readonly TableName[]) => Promise<boolean>
  /** Whether the project itself set a table's replica identity to full. */
  readonly hasFullIdentity: (oid: number) => Promise<boolean>
  readonly logger: Logger
}

/** Catalog information of the table at a position in the stream. */
interface Known {
  readonly info: TableInfo | undefined
  readonly unread: readonly string[]
  /** Roles covered. */
  readonly roles: ReadonlySet<string>
  readonly index: SubscriptionIndex | undefined
  readonly readAtMs: number
}

const CUT = 'Changes of the table came faster than they could be sent. Join again, and read the missed changes.'
const TOO_SLOW = 'The policies of the table took too long to evaluate for a change. Join again, and read it.'

/** Delivers the changes of one table to its subscribers, in batches and in commit order. */
export class TableChanges {
  /** With the role at the time of adding. */
  readonly #subscriptions = new Map<Subscription, string>()
  /** Number of subscriptions per role. */
  readonly #roles = new Map<string, number>()
  readonly #context: ChangeContext
  readonly #table: Pick<Relation, 'schema' | 'name'>
  readonly #stopping = new AbortController()
  #waiting: RowChange[] = []
  #waitingBytes = 0
  #known: Known | undefined
  /** Used by the running batch. */
  #current: Known | undefined
  /** Transactions that changed the schema: the catalog is read once they are visible to queries. */
  #schemaXids: number[] = []
  #running: Promise<void> | undefined

  constructor(context: ChangeContext, table: Pick<Relation, 'schema' | 'name'>) {
    this.#context = context
    this.#table = table
  }

  get isEmpty(): boolean {
    return this.#subscriptions.size === 0
  }

  /** Also called when a user's claims change. */
  subscribe(subscription: Subscription): void {
    this.unsubscribe(subscription)
    const { role } = subscription.subscriber.identity()
    this.#subscriptions.set(subscription, role)
    this.#roles.set(role, (this.#roles.get(role) ?? 0) + 1)
    for (const index of this.#indexes()) index.add(subscription)
  }

  unsubscribe(subscription: Subscription): void {
    const role = this.#subscriptions.get(subscription)
    if (role === undefined) return
    this.#subscriptions.delete(subscription)
    const left = (this.#roles.get(role) ?? 1) - 1
    if (left > 0) this.#roles.set(role, left)
    else this.#roles.delete(role)
    for (const index of this.#indexes()) index.remove(subscription)
  }

  #indexes(): ReadonlySet<SubscriptionIndex> {
    return new Set([this.#known?.index, this.#current?.index].filter((index) => index !== undefined))
  }

  /** Queues a change without waiting. Subscribers that cannot keep up are disconnected. */
  add(change: RowChange): void {
    this.#waiting.push(change)
    this.#waitingBytes += change.bytes
    if (this.#waiting.length > WAITING_CHANGES_MAX || this.#waitingBytes > WAITING_CHANGES_BYTES_MAX) {
      this.#waiting = []
      this.#waitingBytes = 0
      this.#cut([...this.#subscriptions.keys()], CUT)
      return
    }
    this.#running ??= this.#run()
  }

  /** A transaction exceeds the buffer. */
  overflow(): void {
    this.#cut([...this.#subscriptions.keys()], CUT)
  }

  /** The schema changed at this position in the stream. */
  schemaChanged(xid: number): void {
    this.#schemaXids.push(xid)
    this.#known = undefined
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('channels are closing'))
    await this.#running
  }

  async #run(): Promise<void> {
    // Combine all changes of a transaction, and those that arrive meanwhile.
    await Promise.resolve()
    while (this.#waiting.length > 0 && !this.#stopping.signal.aborted) {
      const batch = this.#takeBatch()
      try {
        await this.#send(batch)
      } catch (error) {
        if (this.#stopping.signal.aborted) break
        this.#context.logger.log('warn', 'changes of a table could not be sent', {
          table: `${this.#table.schema}.${this.#table.name}`,
          error: errorMessage(error),
        })
        this.#cut(
          [...this.#subscriptions.keys()],
          'Changes of the table could not be judged. Join again, and read them.',
        )
      }
    }
    this.#running = undefined
  }

  #takeBatch(): readonly RowChange[] {
    let count = 0
    for (let bytes = 0; count < this.#waiting.length && count < BATCH_CHANGES_MAX; count++) {
      bytes += this.#waiting[count]?.bytes ?? 0
      if (count > 0 && bytes > BATCH_BYTES_MAX) break
    }
    const batch = this.#waiting.splice(0, count)
    for (const { bytes } of batch) this.#waitingBytes -= bytes
    return batch
  }

  async #send(batch: readonly RowChange[]): Promise<void> {
    const { info, index } = this.#knownNow() ?? (await this.#readKnown(batch))
    if (!info || !index) return
    const published = batch.filter(({ kind }) => info.published.has(kind))
    if (published.length === 0) return
    const { readerPool, evaluatorPool, share, logger } = this.#context
    const [prepared] = await Promise.all([
      prepareChanges(evaluatorPool, info, index, published, (group, reason) =>
        this.#cut(
          [...group.classes.values()].flatMap((classes) =>
            [...classes].flatMap((one) => [...subscriptionsOf({ class: one, group })]),
          ),
          reason,
        ),
      ),
      this.#waitUntilVisible(batch),
    ])
    const onFailure = (one: SubscriberClass, problem: { readonly message: string; readonly isSlow: boolean }): void => {
      logger.log('warn', 'a policy failed for a change', {
        table: `${info.schema}.${info.name}`,
        error: problem.message,
      })
      if (problem.isSlow)
        this.#cut(
          [...one.subscriptions.values()].flatMap((some) => [...some]),
          TOO_SLOW,
        )
    }
    const found = await findAddressees({ readerPool, evaluatorPool, share, logger, onFailure }, info, index, prepared)
    prepared.forEach((one, position) => deliverChange(info, one, found[position] ?? []))
  }

  /** Returns the cached information; `undefined` if it must be read. */
  #knownNow(): Known | undefined {
    const known = this.#known
    const isCurrent = known !== undefined && performance.now() - known.readAtMs < INFO_LIFETIME_MS
    return isCurrent && [...this.#roles.keys()].every((role) => known.roles.has(role)) ? known : undefined
  }

  async #waitUntilVisible(batch: readonly RowChange[], others: readonly number[] = []): Promise<void> {
    const xids = new Set([...others, ...batch.map(({ xid }) => xid)])
    await waitUntilVisible(this.#context.pool, [...xids], this.#stopping.signal)
  }

  /** Reads the table's information as of some changes or later. */
  async #readKnown(batch: readonly RowChange[]): Promise<Known> {
    const { pool, hasFullIdentity } = this.#context
    await this.#waitUntilVisible(batch, this.#schemaXids.splice(0))
    const known = this.#known
    const readAtMs = performance.now()
    const roles = new Set(this.#roles.keys())
    const info = await readTableInfo(pool, this.#table, [...roles], hasFullIdentity)
    const unread = await readUnreadClaims(pool)
    const isSame = known !== undefined && isDeepStrictEqual([known.info, known.unread], [info, unread])
    if (info && !isSame) this.#cutUnreadable(info)
    const read = { info, unread, roles, readAtMs, index: isSame ? known.index : info && this.#indexOf(info, unread) }
    // A concurrent schema change may have been missed.
    this.#current = read
    if (this.#schemaXids.length === 0) this.#known = read
    return read
  }

  #indexOf(info: TableInfo, unread: readonly string[]): SubscriptionIndex {
    const index = new SubscriptionIndex(info, unread)
    for (const subscription of this.#subscriptions.keys()) index.add(subscription)
    return index
  }

  /** A filter reveals its column: subscribers who lost SELECT on it must join again and are refused. */
  #cutUnreadable({ roles }: TableInfo): void {
    for (const [subscription, role] of this.#subscriptions) {
      const selectable = roles.get(role)?.selectable
      const hidden = subscription.filter?.conditions.find(({ column }) => selectable?.has(column) === false)
      if (hidden) this.#cut([subscription], `invalid column for filter ${hidden.column}`)
    }
  }

  #cut(subscriptions: readonly Subscription[], reason: string): void {
    for (const { subscriber } of subscriptions) subscriber.cut(reason)
  }
}
