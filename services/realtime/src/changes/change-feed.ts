import { HoldfastError } from '@holdfast/foundation'
import type { Lsn, Relation, ReplicationEvent } from '@holdfast/replication'
import {
  FOLLOWED_JOIN_PATIENCE_MS,
  INFO_LIFETIME_MS,
  TRANSACTION_BYTES_MAX,
  TRANSACTION_CHANGES_MAX,
} from '../limits.ts'
import { changesUnread } from '../errors.ts'
import { SCHEMA_PREFIX, type ChangeSource } from './change-source.ts'
import { checkFilter } from './evaluate-changes.ts'
import { concerns, type Subscription } from './subscription.ts'
import { readPublishedTables, waitUntilFollowed } from './published-tables.ts'
import { SharedCatalog } from './shared-catalog.ts'
import { readTableInfo } from './table-info.ts'
import type { RowChange } from './prepare-changes.ts'
import { TableChanges, type ChangeContext } from './table-changes.ts'

type RowEvent = ReplicationEvent & { readonly kind: 'insert' | 'update' | 'delete' }

/** Relations cached with or without subscriptions. */
const RELATIONS_MAX = 10_000

/** Collected changes of the transaction being read. */
interface OpenTransaction {
  readonly commitLsn: Lsn
  /** Already delivered, or committed before this server opened: replication restarts after the last confirmed position. */
  readonly isOld: boolean
  readonly xid: number
  readonly committedAtMs: number
  changes: { readonly to: TableChanges; readonly change: RowChange }[]
  bytes: number
  hasSchemaChange: boolean
}

/** Subscriptions to Postgres changes on this node. Listens to the slot only while there are any. */
export class ChangeFeed {
  readonly #context: ChangeContext
  readonly #source: ChangeSource
  readonly #catalog = new SharedCatalog(INFO_LIFETIME_MS)
  readonly #subscriptions = new Set<Subscription>()
  readonly #tables = new Map<string, TableChanges>()
  /** Lookup cache per relation, cleared when subscriptions change. */
  readonly #found = new Map<Relation, TableChanges | undefined>()
  readonly #stopped = new Set<Promise<void>>()
  #listening: Disposable | undefined
  #open: OpenTransaction | undefined
  /** The last delivered transaction. */
  #toldUpTo: Lsn | undefined

  constructor(context: ChangeContext, source: ChangeSource) {
    this.#context = context
    this.#source = source
  }

  /** Starts a subscription. Its table may be published later. */
  add(subscription: Subscription): void {
    this.#subscriptions.add(subscription)
    this.#found.clear()
    for (const [key, table] of this.#tables) if (isAbout(key, subscription)) table.subscribe(subscription)
    this.#listening ??= this.#source.listen({
      onEvents: (events) => this.#read(events),
      onLost: (reason) => this.cutAll(reason),
      wanted: () => [...this.#subscriptions],
    })
  }

  /** Call when a subscription's user has a new token with the same role. */
  identityChanged(subscription: Subscription): void {
    for (const [key, table] of this.#tables) if (isAbout(key, subscription)) table.subscribe(subscription)
  }

  remove(subscription: Subscription): void {
    this.#subscriptions.delete(subscription)
    this.#found.clear()
    for (const [key, table] of this.#tables) {
      table.unsubscribe(subscription)
      if (!table.isEmpty) continue
      this.#tables.delete(key)
      const stopped = table.stop().finally(() => this.#stopped.delete(stopped))
      this.#stopped.add(stopped)
    }
    if (this.#subscriptions.size > 0) return
    this.#listening?.[Symbol.dispose]()
    this.#listening = undefined
    this.#open = undefined
  }

  /**
   * Checks that a subscription is effective: some server reads the changes, its table is published and in the stream, and Postgres accepts its columns and values. Waits for a newly published
   * table.
   *
   * @param timeoutMs - wait limit; shorter for subscriptions to all tables, some of which may never be followed
   * @throws {HoldfastError} `RealtimeDisabledForConfiguration`, `InvalidSubscription`, or the error of Postgres
   */
  async check({ schema, table, filter, select, subscriber }: Subscription, timeoutMs: number): Promise<void> {
    const { pool, evaluatorPool, hasFullIdentity, areFollowed } = this.#context
    if (!(await this.#source.ready())) throw changesUnread()
    const { role } = subscriber.identity()
    if (schema === '*' || table === undefined) {
      const found = await this.#catalog.read(JSON.stringify([schema]), async () => {
        const published = await readPublishedTables(pool)
        const tables = published.filter((one) => one.schema !== 'realtime' && (schema === '*' || one.schema === schema))
        if (tables.length === 0) return undefined
        // A table that cannot be followed does not affect others.
        await waitUntilFollowed(areFollowed, tables, FOLLOWED_JOIN_PATIENCE_MS)
        return true
      })
      if (!found) throw notPublished()
      return
    }
    const info = await this.#catalog.read(JSON.stringify([schema, table, role]), () =>
      readTableInfo(pool, { schema, name: table }, [role], hasFullIdentity),
    )
    const isFollowed =
      info &&
      (await this.#catalog.read(
        JSON.stringify(['followed', schema, table, timeoutMs]),
        async () => (await waitUntilFollowed(areFollowed, [{ schema, name: table }], timeoutMs)) || undefined,
      ))
    if (!info || !isFollowed) throw notPublished()
    const selectable = info.roles.get(role)?.selectable
    for (const column of new Set([
      ...(filter?.conditions ?? []).map((condition) => condition.column),
      ...(select ?? []),
    ]))
      if (!selectable?.has(column))
        throw new HoldfastError('InvalidSubscription', 400, `invalid column for filter ${column}`)
    if (filter)
      await this.#catalog.read(JSON.stringify([schema, table, role, filter.text]), async () => {
        await checkFilter(evaluatorPool, info, filter)
        return true
      })
  }

  /** Disconnects all subscribers. Those who join again do not receive earlier changes. */
  cutAll(reason: string): void {
    this.#catalog.clear()
    for (const { subscriber } of this.#subscriptions) subscriber.cut(reason)
  }

  async stop(): Promise<void> {
    this.#listening?.[Symbol.dispose]()
    await Promise.all([...this.#stopped, ...[...this.#tables.values()].map((table) => table.stop())])
  }

  #read(events: readonly ReplicationEvent[]): void {
    for (const event of events) {
      switch (event.kind) {
        case 'begin':
          this.#open = {
            commitLsn: event.commitLsn,
            isOld: this.#isOld(event.commitLsn),
            xid: event.xid,
            committedAtMs: event.committedAtMs,
            changes: [],
            bytes: 0,
            hasSchemaChange: false,
          }
          break
        case 'insert':
        case 'update':
        case 'delete':
          this.#collect(event)
          break
        case 'incomplete':
          if (this.#open && !this.#open.isOld) this.#tableOf(event.relation)?.overflow()
          break
        case 'message':
          if (this.#open && event.prefix === SCHEMA_PREFIX) this.#open.hasSchemaChange = true
          break
        case 'commit':
          this.#commit()
          break
      }
    }
  }

  #isOld(commitLsn: Lsn): boolean {
    const since = this.#context.opened()
    return (this.#toldUpTo !== undefined && commitLsn <= this.#toldUpTo) || (since !== undefined && commitLsn < since)
  }

  #collect(event: RowEvent): void {
    const open = this.#open
    const to = this.#tableOf(event.relation)
    if (!open || open.isOld || !to) return
    const old = event.kind === 'insert' ? undefined : event.old
    const row = event.kind === 'delete' ? undefined : event.row
    const bytes = sizeOf(old) + sizeOf(row)
    open.bytes += bytes
    if (open.changes.length >= TRANSACTION_CHANGES_MAX || open.bytes > TRANSACTION_BYTES_MAX) {
      to.overflow()
      return
    }
    const kind = event.kind === 'insert' ? 'INSERT' : event.kind === 'update' ? 'UPDATE' : 'DELETE'
    const { xid, committedAtMs } = open
    open.changes.push({ to, change: { kind, relation: event.relation, old, row, bytes, xid, committedAtMs } })
  }

  #commit(): void {
    const open = this.#open
    this.#open = undefined
    if (!open) return
    if (!open.isOld) this.#toldUpTo = open.commitLsn
    if (open.hasSchemaChange) this.#catalog.clear()
    if (open.hasSchemaChange) for (const table of this.#tables.values()) table.schemaChanged(open.xid)
    for (const { to, change } of open.changes) to.add(change)
  }

  #tableOf(relation: Relation): TableChanges | undefined {
    if (this.#found.has(relation)) return this.#found.get(relation)
    if (this.#found.size >= RELATIONS_MAX) this.#found.clear()
    const found = this.#findTable(relation)
    this.#found.set(relation, found)
    return found
  }

  #findTable({ schema, name }: Relation): TableChanges | undefined {
    const key = JSON.stringify([schema, name])
    const found = this.#tables.get(key)
    if (found) return found
    const wanting = [...this.#subscriptions].filter((subscription) => concerns(subscription, { schema, name }))
    if (wanting.length === 0) return undefined
    const made = new TableChanges(this.#context, { schema, name })
    for (const subscription of wanting) made.subscribe(subscription)
    this.#tables.set(key, made)
    return made
  }
}

function isAbout(key: string, subscription: Subscription): boolean {
  const [schema, name] = JSON.parse(key) as [string, string]
  return concerns(subscription, { schema, name })
}

function sizeOf(tuple: readonly (string | null)[] | undefined): number {
  return (tuple ?? []).reduce((sum, value) => sum + (value?.length ?? 0), 0)
}

function notPublished(): HoldfastError {
  return new HoldfastError(
    'RealtimeDisabledForConfiguration',
    400,
    'Please check Realtime is enabled for the given connect parameters',
  )
}
