import { assert, HoldfastError } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import {
  assumeSession,
  isConnectionLoss,
  sql,
  type Connections,
  type PoolShare,
  type Session,
  type Transaction,
} from '@holdfast/postgres'
import type { OperationVerdict, UploadOperation, UploadRequest, UploadResponse } from '@holdfast/protocol'
import { applyOperations, type Applied } from './apply-operations.ts'
import { uploadKeyReused, uploadNeedsUser, uploadNotJudged, uploadRoleUnknown, uploadTakesTooLong } from './errors.ts'
import { isDatabaseError, isRetryable } from './judge-error.ts'
import { endWhenAbandoned, startDeadline, type UploadDeadline } from './upload-deadline.ts'
import { renderRefusal } from './render-refusal.ts'
import type { ReadableColumns } from './guarded-records.ts'
import {
  hashOperations,
  renderClaim,
  renderRecord,
  type ClaimRow,
  type Judgement,
  type UploadKey,
} from './upload-record.ts'
import { findWritableTables, type WritableTable } from './writable-tables.ts'

/** Dependencies of judging uploads. */
export interface JudgeContext {
  /** Connects as `authenticator`. */
  readonly share: PoolShare
  /** May terminate connections of other roles. */
  readonly admin: Connections
  /** The project's currently exposed schemas. */
  readonly exposedSchemas: () => readonly string[]
  /** Statement timeout in ms unless the role sets its own `statement_timeout`; 0 for none. */
  readonly statementTimeoutMs: number
  /** Transaction timeout in ms, from the moment it has a connection. */
  readonly transactionTimeoutMs: number
  /** Operations per write; below 2, each is sent separately. */
  readonly runOperationsMax: number
  /** A monotonic clock in ms. */
  readonly now: () => number
}

/** The sender of an upload. */
export interface Sender {
  readonly caller: Caller
  /** Aborts with the error to throw when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Applies one local transaction in one Postgres transaction under row-level security as the caller, entirely or not at all, and records the verdict in it.
 * Resending the same transaction, even concurrently, returns the recorded verdict and writes nothing.
 *
 * @throws {HoldfastError} 401 without a user, 409 if the key was used for other operations, 503 if Postgres could not decide: nothing is recorded then. If
 * the response of a COMMIT was lost, the retry finds the verdict
 */
export async function judgeUpload(
  context: JudgeContext,
  sender: Sender,
  upload: UploadRequest,
  memory: BatchMemory = createBatchMemory(),
): Promise<UploadResponse> {
  const { caller, signal } = sender
  const { userId } = caller
  if (!userId) throw uploadNeedsUser()
  const key: UploadKey = { userId, clientId: upload.client_id, position: upload.position }
  const { statementTimeoutMs, runOperationsMax } = context
  const turn = { caller, schemas: context.exposedSchemas(), statementTimeoutMs, runOperationsMax }
  try {
    return await context.share.for({ userKey: userId, signal }).transaction((tx) => {
      const deadline = startDeadline(signal, context.transactionTimeoutMs, context.now)
      return endWhenAbandoned(tx, deadline, context.admin, async () => {
        deadline.check()
        const recorded = await claimUpload(tx, key, caller, hashOperations(upload.operations), memory.deferFsync)
        if (recorded) return recorded
        const judgement = await judge(tx, { ...turn, deadline }, upload.operations, memory)
        await tx.query(renderRecord(key, judgement))
        return { ...judgement, repeated: false }
      })
    })
  } catch (thrown) {
    signal.throwIfAborted()
    throw toRefusal(thrown, context)
  }
}

/** Returns the error to throw for an upload that could not be judged. */
export function toRefusal(thrown: unknown, { statementTimeoutMs }: JudgeContext): unknown {
  if (thrown instanceof HoldfastError) return thrown
  if (isDatabaseError(thrown) && thrown.code === '57014') return uploadTakesTooLong('A statement', statementTimeoutMs)
  if (isConnectionLoss(thrown) || (isDatabaseError(thrown) && isRetryable(thrown))) return uploadNotJudged(thrown)
  return thrown
}

/** State shared by the transactions of a batch. */
export interface BatchMemory {
  /** Tables read by earlier transactions. A refusal is checked again with current tables. */
  tables: ReadonlyMap<string, WritableTable>
  /** Readable columns of these tables, as far as they were read. */
  readable: ReadableColumns
  /** Local names of tables whose uploads were applied only one by one. */
  readonly singly: Set<string>
  /** How often the batch has sent each statement. */
  readonly uses: Map<string, number>
  /** Whether a later commit flushes this one to disk before the client gets its response. */
  deferFsync: boolean
}

export function createBatchMemory(): BatchMemory {
  return { tables: new Map(), readable: new Map(), singly: new Set(), uses: new Map(), deferFsync: false }
}

async function claimUpload(
  tx: Transaction,
  key: UploadKey,
  caller: Caller,
  bodyHash: Buffer,
  deferFsync: boolean,
): Promise<UploadResponse | undefined> {
  const [entry] = await tx.query<ClaimRow>(renderClaim(key, caller, bodyHash, deferFsync))
  assert(entry, 'claiming answers with one row')
  if (entry.claimed) return undefined
  if (!entry.same_body) throw uploadKeyReused()
  assert(entry.status && entry.verdicts, 'a committed upload has its judgement')
  return { status: entry.status, repeated: true, verdicts: entry.verdicts }
}

/** One attempt at a transaction on its connection. */
interface Turn {
  readonly caller: Caller
  readonly schemas: readonly string[]
  readonly statementTimeoutMs: number
  readonly runOperationsMax: number
  readonly deadline: UploadDeadline
}

async function judge(
  tx: Transaction,
  turn: Turn,
  operations: readonly UploadOperation[],
  memory: BatchMemory,
): Promise<Judgement> {
  const { caller, schemas, deadline } = turn
  const names = [...new Set(operations.map((operation) => operation.type))]
  const find = (): Promise<ReadonlyMap<string, WritableTable>> =>
    roleKnown(findWritableTables(tx, names, { role: caller.role, schemas }))
  let isRemembered = names.every((name) => memory.tables.has(name))
  let tables = isRemembered ? memory.tables : await find()
  let togetherUntil = operations.length
  const probeTables = new Set<string>()
  const closeTables = new Set<string>()
  for (;;) {
    await tx.execute(sql`savepoint operations`)
    await assumeCaller(tx, turn)
    const outcome = await applyOperations(tx, {
      operations,
      tables,
      probeTables,
      closeTables,
      togetherUntil,
      runOperationsMax: turn.runOperationsMax,
      role: caller.role,
      check: deadline.check,
    })
    if (outcome.kind === 'applied') {
      await tx.query(sql`select set_config('role', 'none', true)`)
      memory.tables = new Map([...memory.tables, ...tables])
      memory.readable = new Map([...memory.readable, ...outcome.readable])
      return { status: 'applied', verdicts: operations.map((operation) => appliedVerdict(operation, outcome)) }
    }
    // Also resets role and claims, which were set after the savepoint.
    await tx.execute(sql`rollback to savepoint operations`)
    if (outcome.kind === 'one_by_one') {
      assert(outcome.from < togetherUntil, 'each attempt sends fewer operations together')
      togetherUntil = outcome.from
      continue
    }
    if (isRemembered) {
      isRemembered = false
      tables = await find()
      continue
    }
    if (outcome.kind !== 'probe_first' && outcome.kind !== 'look_closely')
      return renderRefusal(tx, caller, operations, tables, outcome)
    const lookedAt = outcome.kind === 'probe_first' ? probeTables : closeTables
    assert(!lookedAt.has(outcome.table), 'a table is looked at only once')
    lookedAt.add(outcome.table)
    // Operations on this table are no longer sent in runs; others still are.
    togetherUntil = operations.length
  }
}

/** Returns the verdict on an operation of an applied transaction. */
export function appliedVerdict(operation: UploadOperation, applied: Pick<Applied, 'now'>): OperationVerdict {
  const now = applied.now.get(operation)
  return { op_id: operation.op_id, status: 'applied', ...(now ? { now } : {}) }
}

async function assumeCaller(tx: Transaction, { caller, statementTimeoutMs }: Turn): Promise<void> {
  await roleKnown(assumeSession(tx, sessionOf(tx, caller, statementTimeoutMs)))
}

/** Returns the session under which the caller's operations run. */
export function sessionOf(tx: Pick<Transaction, 'roleSettings'>, caller: Caller, statementTimeoutMs: number): Session {
  const own = tx.roleSettings?.(caller.role)['statement_timeout']
  const settings = own === undefined ? { statement_timeout: String(statementTimeoutMs) } : {}
  return { role: caller.role, claims: caller.claims, settings }
}

/** 22023, 42704: no such role; 42501: requests may not use the role. */
const ROLE_CODES = new Set(['22023', '42704', '42501'])

async function roleKnown<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (thrown) {
    if (isDatabaseError(thrown) && ROLE_CODES.has(thrown.code)) throw uploadRoleUnknown(thrown)
    throw thrown
  }
}
