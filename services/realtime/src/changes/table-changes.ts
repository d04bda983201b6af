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

/** What changes are judged with. */
export interface ChangeContext {
  /** Reads the catalog. */
  readonly pool: Pool
  /** As `holdfast_reader`: memberships are read without policies. */
  readonly readerPool: Pool
  /** As `holdfast_evaluator`. */
  readonly evaluatorPool: Pool
  /** As `authenticator`: policies are asked as people. */
  readonly share: PoolShare
  /** Where the log of Postgres ended when this server was opened; `undefined` until that is known. */
  readonly opened: () => Lsn | undefined
  /** Whether the stream brings the changes of some tables from now on. */
  readonly areFollowed: (tables: readonly TableName[]) => Promise<boolean>
  /** Whether a project itself chose a full replica identity for a table. */
  readonly hasFullIdentity: (oid: number) => Promise<boolean>
  readonly logger: Logger
}

/** Everything that is known of the table at a place of the stream. */
interface Known {
  readonly info: TableInfo | undefined
  readonly unread: readonly string[]
  /** That the catalog was asked about. */
  readonly roles: ReadonlySet<string>
  readonly index: SubscriptionIndex | undefined
  readonly readAtMs: number
}

const CUT = 'Changes of the table came faster than they could be sent. Join again, and read what you have missed.'
const TOO_SLOW = 'The policies of the table took too long to tell who may see a change. Join again, and read it.'

/** The changes of one table on their way to those who have subscribed to it: a batch at a time, in commit order. */
export class TableChanges {
  /** With the role that each was added under. */
  readonly #subscriptions = new Map<Subscription, string>()
  /** How many subscriptions there are of each role. */
  readonly #roles = new Map<string, number>()
  readonly #context: ChangeContext
  readonly #table: Pick<Relation, 'schema' | 'name'>
  readonly #stopping = new AbortController()
  #waiting: RowChange[] = []
  #waitingBytes = 0
  #known: Known | undefined
  /** What the running batch is judged with. */
  #current: Known | undefined
  /** Transactions that changed the schema: the catalog is read when queries see them. */
  #schemaXids: number[] = []
  #running: Promise<void> | undefined

  constructor(context: ChangeContext, table: Pick<Relation, 'schema' | 'name'>) {
    this.#context = context
    this.#table = table
  }

  get isEmpty(): boolean {
    return this.#subscriptions.size === 0
  }

  /** Also when the person of a subscription has other claims than before. */
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

  /** Takes a change. Never waits: whoever cannot keep up is cut off. */
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

  /** A transaction has more changes than are kept. */
  overflow(): void {
    this.#cut([...this.#subscriptions.keys()], CUT)
  }

  /** The schema has changed at this place of the stream. */
  schemaChanged(xid: number): void {
    this.#schemaXids.push(xid)
    this.#known = undefined
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('channels are closing'))
    await this.#running
  }

  async #run(): Promise<void> {
    // Changes of one transaction, and of others that come meanwhile, go together.
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

  /** What is known of the table; `undefined` when that has to be read. */
  #knownNow(): Known | undefined {
    const known = this.#known
    const isCurrent = known !== undefined && performance.now() - known.readAtMs < INFO_LIFETIME_MS
    return isCurrent && [...this.#roles.keys()].every((role) => known.roles.has(role)) ? known : undefined
  }

  async #waitUntilVisible(batch: readonly RowChange[], others: readonly number[] = []): Promise<void> {
    const xids = new Set([...others, ...batch.map(({ xid }) => xid)])
    await waitUntilVisible(this.#context.pool, [...xids], this.#stopping.signal)
  }

  /** Reads what the table is, at or behind the place of some changes in the stream. */
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
    // A change of the schema that came meanwhile may have been missed.
    this.#current = read
    if (this.#schemaXids.length === 0) this.#known = read
    return read
  }

  #indexOf(info: TableInfo, unread: readonly string[]): SubscriptionIndex {
    const index = new SubscriptionIndex(info, unread)
    for (const subscription of this.#subscriptions.keys()) index.add(subscription)
    return index
  }

  /** A filter tells of its column: whoever may select it no more joins again, and is refused. */
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
