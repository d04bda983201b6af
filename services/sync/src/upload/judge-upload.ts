import { assert, HoldfastError, unreachable } from '@holdfast/foundation'
import type { Caller } from '@holdfast/http'
import { assumeSession, isConnectionLoss, sql, type Pool, type Transaction } from '@holdfast/postgres'
import type {
  OperationVerdict,
  UploadBatchResponse,
  UploadOperation,
  UploadRequest,
  UploadResponse,
} from '@holdfast/protocol'
import { applyOperations, renderErrorVerdict, type Applied, type Failure } from './apply-operations.ts'
import { uploadKeyReused, uploadNeedsUser, uploadNotJudged, uploadRoleUnknown } from './errors.ts'
import { findCandidatePolicies, findRuleComment } from './find-policies.ts'
import { hashOperations } from './hash-operations.ts'
import { isDatabaseError, isPolicyRefusal, isRetryable, namedPolicy, type DatabaseError } from './judge-error.ts'
import { UPLOAD_BATCH_MS_MAX } from './limits.ts'
import { findWritableTables, type WritableTable } from './writable-tables.ts'

/** What judging needs of its surroundings. */
export interface JudgeContext {
  /** Connected as `authenticator`. */
  readonly pool: Pool
  /** Schemas that the project exposes, as they are now. */
  readonly exposedSchemas: () => readonly string[]
}

/**
 * Judges one local transaction: applies it whole in one Postgres transaction under row-level security as `caller`, or not at all, and
 * records the verdict in that same transaction. The same transaction sent again, at any time and also at the same moment, gets the
 * recorded answer and writes nothing.
 *
 * @throws {HoldfastError} 401 without a user, 409 when the key was used for other operations, 503 when Postgres could not judge: nothing
 *   is recorded then, and if the answer of a COMMIT was lost the repeated request finds out
 */
export async function judgeUpload(
  context: JudgeContext,
  caller: Caller,
  upload: UploadRequest,
): Promise<UploadResponse> {
  return judgeOne(context, caller, upload, { tables: new Map(), isFollowed: false })
}

/** What transactions of a batch share. */
interface BatchMemory {
  /** Tables as earlier transactions found them. Only what is applied may rest on them: a refusal is judged again with what is there now. */
  tables: ReadonlyMap<string, WritableTable>
  /** A later commit will bring this one to the disk before anybody is answered. */
  isFollowed: boolean
}

async function judgeOne(
  context: JudgeContext,
  caller: Caller,
  upload: UploadRequest,
  memory: BatchMemory,
): Promise<UploadResponse> {
  const { userId } = caller
  if (!userId) throw uploadNeedsUser()
  const key: UploadKey = { userId, clientId: upload.client_id, position: upload.position }
  try {
    return await context.pool.transaction(async (tx) => {
      const recorded = await claimUpload(tx, key, hashOperations(upload.operations), memory.isFollowed)
      if (recorded) return recorded
      const judgement = await judge(tx, { caller, schemas: context.exposedSchemas() }, upload.operations, memory)
      await recordUpload(tx, key, judgement)
      return { ...judgement, repeated: false }
    })
  } catch (thrown) {
    if (thrown instanceof HoldfastError) throw thrown
    if (isConnectionLoss(thrown) || (isDatabaseError(thrown) && isRetryable(thrown))) throw uploadNotJudged(thrown)
    throw thrown
  }
}

/**
 * Judges transactions of one device one after the other, each as {@link judgeUpload} does. Ends with the first that is refused, when Postgres cannot
 * judge the next one now, and when it takes long.
 *
 * @param now - milliseconds of any clock that does not go back
 * @returns the judgements of the first transactions, at least one
 * @throws as {@link judgeUpload}, when the first cannot be judged
 */
export async function judgeBatch(
  context: JudgeContext,
  caller: Caller,
  uploads: readonly UploadRequest[],
  now: () => number,
): Promise<UploadBatchResponse> {
  const results: UploadResponse[] = []
  const memory: BatchMemory = { tables: new Map(), isFollowed: false }
  const endMs = now() + UPLOAD_BATCH_MS_MAX
  for (const [index, upload] of uploads.entries()) {
    memory.isFollowed = index < uploads.length - 1
    try {
      results.push(await judgeOne(context, caller, upload, memory))
    } catch (thrown) {
      // The device sends it again, as the first of the next batch, and gets the reason then.
      if (results.length > 0 && thrown instanceof HoldfastError) break
      throw thrown
    }
    if (results.at(-1)?.status === 'refused' || now() > endMs) break
  }
  if (results.length < uploads.length) await flushCommits(context.pool)
  return { results }
}

/** Brings what was committed so far to the disk, with a commit of its own that has something to write. */
async function flushCommits(pool: Pool): Promise<void> {
  try {
    await pool.query(sql`select pg_logical_emit_message(true, 'holdfast:upload', '')`)
  } catch (thrown) {
    throw uploadNotJudged(thrown) // the device asks again, and gets what is recorded
  }
}

interface UploadKey {
  readonly userId: string
  readonly clientId: string
  readonly position: number
}

type Judgement = Omit<UploadResponse, 'repeated'>

async function claimUpload(
  tx: Transaction,
  key: UploadKey,
  bodyHash: Buffer,
  isFollowed: boolean,
): Promise<UploadResponse | undefined> {
  const [entry] = await tx.query<{
    claimed: boolean
    same_body: boolean
    status: UploadResponse['status'] | null
    verdicts: readonly OperationVerdict[] | null
  }>(sql`
    select claim.*, set_config('synchronous_commit', ${isFollowed ? 'off' : 'on'}, true)
      from sync.claim_upload(${key.userId}, ${key.clientId}, ${key.position}, ${bodyHash}) claim`)
  assert(entry, 'claiming answers with one row')
  if (entry.claimed) return undefined
  if (!entry.same_body) throw uploadKeyReused()
  assert(entry.status && entry.verdicts, 'a committed upload has its judgement')
  return { status: entry.status, repeated: true, verdicts: entry.verdicts }
}

async function recordUpload(tx: Transaction, key: UploadKey, judgement: Judgement): Promise<void> {
  await tx.query(sql`
    select sync.record_upload(
      ${key.userId}, ${key.clientId}, ${key.position}, ${judgement.status}, ${JSON.stringify(judgement.verdicts)})
  `)
}

async function judge(
  tx: Transaction,
  { caller, schemas }: { readonly caller: Caller; readonly schemas: readonly string[] },
  operations: readonly UploadOperation[],
  memory: BatchMemory,
): Promise<Judgement> {
  const names = [...new Set(operations.map((operation) => operation.type))]
  const find = (): Promise<ReadonlyMap<string, WritableTable>> =>
    roleKnown(findWritableTables(tx, names, { role: caller.role, schemas }))
  let isRemembered = names.every((name) => memory.tables.has(name))
  let tables = isRemembered ? memory.tables : await find()
  const lookFirst = new Set<string>()
  for (;;) {
    await tx.execute(sql`savepoint operations`)
    await assumeCaller(tx, caller)
    const failure = await applyOperations(tx, operations, tables, lookFirst)
    if (failure.kind === 'applied') {
      await tx.query(sql`select set_config('role', 'none', true)`)
      memory.tables = new Map([...memory.tables, ...tables])
      return { status: 'applied', verdicts: operations.map((operation) => appliedVerdict(operation, failure)) }
    }
    // Takes the role and the claims back as well: they were set after the savepoint.
    await tx.execute(sql`rollback to savepoint operations`)
    if (isRemembered) {
      isRemembered = false
      tables = await find()
      continue
    }
    if (failure.kind !== 'look_first') return refuse(tx, caller, operations, tables, failure)
    assert(!lookFirst.has(failure.table), 'a table is looked at first only once')
    lookFirst.add(failure.table)
  }
}

function appliedVerdict(operation: UploadOperation, applied: Applied): OperationVerdict {
  const now = applied.now.get(operation)
  return { op_id: operation.op_id, status: 'applied', ...(now ? { now } : {}) }
}

async function assumeCaller(tx: Transaction, caller: Caller): Promise<void> {
  await roleKnown(assumeSession(tx, { role: caller.role, claims: caller.claims }))
}

/** 22023, 42704: no such role; 42501: a role that requests may not have. */
const ROLE_CODES = new Set(['22023', '42704', '42501'])

async function roleKnown<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (thrown) {
    if (isDatabaseError(thrown) && ROLE_CODES.has(thrown.code)) throw uploadRoleUnknown(thrown)
    throw thrown
  }
}

/** One operation carries the reason; none of the others counts, whether it came before or after. */
async function refuse(
  tx: Transaction,
  caller: Caller,
  operations: readonly UploadOperation[],
  tables: ReadonlyMap<string, WritableTable>,
  failure: Exclude<Failure, { kind: 'look_first' }>,
): Promise<Judgement> {
  const verdict = await renderVerdict(tx, caller, tables, failure)
  return {
    status: 'refused',
    verdicts: operations.map((operation) =>
      operation === failure.operation ? verdict : { op_id: operation.op_id, status: 'not_reached' },
    ),
  }
}

async function renderVerdict(
  tx: Transaction,
  caller: Caller,
  tables: ReadonlyMap<string, WritableTable>,
  failure: Exclude<Failure, { kind: 'look_first' }>,
): Promise<OperationVerdict> {
  const { operation } = failure
  switch (failure.kind) {
    case 'verdict':
      return failure.verdict
    case 'unplannable':
      return { op_id: operation.op_id, status: 'error', table: operation.type, ...failure.reason }
    case 'error': {
      const table = tables.get(operation.type)
      const policies = table && (await refusingPolicies(tx, caller, failure, table))
      return renderErrorVerdict(operation, failure.error, {
        policies,
        rule: table && (await ruleInWords(tx, table, failure.error, policies)),
      })
    }
    default:
      return unreachable(failure)
  }
}

/** The policy that Postgres names, else all that could have let the row through. `undefined` when it was not row-level security. */
async function refusingPolicies(
  tx: Transaction,
  caller: Caller,
  failure: Extract<Failure, { kind: 'error' }>,
  table: WritableTable,
): Promise<readonly string[] | undefined> {
  if (!isPolicyRefusal(failure.error)) return undefined
  const named = namedPolicy(failure.error)
  return named ? [named] : findCandidatePolicies(tx, { operation: failure.operation, table, role: caller.role })
}

async function ruleInWords(
  tx: Transaction,
  table: WritableTable,
  error: DatabaseError,
  policies: readonly string[] | undefined,
): Promise<string | undefined> {
  const [policy, ...others] = policies ?? []
  if (policy !== undefined) {
    return others.length === 0 ? findRuleComment(tx, table, { kind: 'policy', name: policy }) : undefined
  }
  return error.constraint === undefined
    ? undefined
    : findRuleComment(tx, table, { kind: 'constraint', name: error.constraint })
}
