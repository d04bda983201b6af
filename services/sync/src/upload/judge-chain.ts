import {
  assumeStep,
  RESET_SESSION,
  runPipeline,
  type PipelineStep,
  type SegmentAnswer,
  type SqlFragment,
  type Transaction,
} from '@holdfast/postgres'
import type { UploadOperation, UploadRequest, UploadResponse, UploadRow } from '@holdfast/protocol'
import { uploadNotJudged } from './errors.ts'
import { openGuardedRecords, type PlannedRead } from './guarded-records.ts'
import { isDatabaseError, isRetryable } from './judge-error.ts'
import {
  appliedVerdict,
  sessionOf,
  toRefusal,
  type BatchMemory,
  type JudgeContext,
  type Sender,
} from './judge-upload.ts'
import { CHAIN_MS_MAX, CHAIN_OPERATIONS_MAX, PREPARE_FROM_REPEATS } from './limits.ts'
import { planOperation, renderCurrent } from './plan-operation.ts'
import { ROW_BYTES_MAX } from './read-row.ts'
import { endWhenAbandoned, startDeadline, type UploadDeadline } from './upload-deadline.ts'
import { hashOperations, renderClaim, renderRecord, type Judgement, type UploadKey } from './upload-record.ts'
import { typesOf, type WritableTable } from './writable-tables.ts'

export interface ChainInput {
  readonly context: JudgeContext
  readonly sender: Sender
  readonly userId: string
  /** The rest of a batch. */
  readonly uploads: readonly UploadRequest[]
  readonly memory: BatchMemory
  /** Called with the result of each committed upload. */
  readonly onApplied: (result: UploadResponse) => unknown
}

/**
 * `ended`: the uploads or the time ended, or the next upload was not tried. `undecided`: Postgres did not simply apply the next upload, which was rolled back;
 * {@link judgeUpload} decides about it.
 */
export type ChainEnd = 'ended' | 'undecided'

/**
 * Applies the first uploads that need no decision between their statements, each in its own Postgres transaction and with the statements of
 * {@link judgeUpload}. The COMMIT of one and all statements of the next go to Postgres in one write, instead of some ten round trips.
 *
 * @throws as {@link judgeUpload}
 */
export async function judgeChain(input: ChainInput): Promise<ChainEnd> {
  const { context, sender, userId, uploads, memory } = input
  const { signal } = sender
  if (context.runOperationsMax < 2 || !uploads[0] || !mayChain(uploads[0], memory)) return 'ended'
  const connections = context.share.for({ userKey: userId, signal })
  try {
    const outcome = await connections.withClient(async (client) => {
      const tx = { client, roleSettings: connections.roleSettings }
      const deadline = startDeadline(signal, context.transactionTimeoutMs, context.now)
      const ended = await endWhenAbandoned(tx, deadline, context.admin, () => runChain(tx, input, deadline))
      signal.throwIfAborted() // the connection may have been terminated
      return ended
    })
    // Thrown outside: the connection can be reused.
    if (outcome instanceof Error) throw outcome
    return outcome
  } catch (thrown) {
    signal.throwIfAborted()
    throw toRefusal(thrown, context)
  }
}

function mayChain({ operations }: UploadRequest, { tables, singly }: BatchMemory): boolean {
  return (
    operations.length <= CHAIN_OPERATIONS_MAX && operations.every(({ type }) => tables.has(type) && !singly.has(type))
  )
}

type ChainConnection = Pick<Transaction, 'client' | 'roleSettings'>

/** @returns an error that says nothing about the next upload; the connection can be reused */
async function runChain(tx: ChainConnection, input: ChainInput, deadline: UploadDeadline): Promise<ChainEnd | Error> {
  const { now } = input.context
  const endMs = now() + CHAIN_MS_MAX
  let open: { readonly key: UploadKey; readonly judgement: Judgement } | undefined
  for (let next = 0; ; next++) {
    deadline.check()
    const link = now() > endMs ? undefined : planLink(input, next)
    const finish = open ? [[constant(renderRecord(open.key, open.judgement).render()), COMMIT], RESET_SESSION] : []
    const begin = link ? [beginSteps(tx, input, link)] : []
    if (finish.length + begin.length === 0) return 'ended'
    const answers = await runPipeline(tx.client, [...finish, ...begin], { timeoutMs: 0, rowBytesMax: ROW_BYTES_MAX })
    if (open) {
      const [committed, reset] = answers
      if (!committed?.error) input.onApplied({ ...open.judgement, repeated: false })
      const error = committed?.error ?? reset?.error
      if (error) {
        await rollback(tx) // the next upload
        return error
      }
    }
    if (!link) return 'ended'
    const body = answers.at(-1)
    const judgement = body && readJudgement(link, body)
    if (!judgement) {
      await rollback(tx)
      return body?.error && isDatabaseError(body.error) && isRetryable(body.error) ? body.error : 'undecided'
    }
    open = { key: link.key, judgement }
  }
}

const BEGIN: PipelineStep = { text: 'begin', values: [], key: 'begin' }
const COMMIT: PipelineStep = { text: 'commit', values: [], key: 'commit' }
const ROLLBACK: PipelineStep = { text: 'rollback', values: [], key: 'rollback' }
const CHECK_CONSTRAINTS: PipelineStep = {
  text: 'set constraints all immediate',
  values: [],
  key: 'set constraints all immediate',
}
const LEAVE_ROLE_TEXT = "select pg_catalog.set_config('role', 'none', true)"
const LEAVE_ROLE: PipelineStep = { text: LEAVE_ROLE_TEXT, values: [], key: LEAVE_ROLE_TEXT }
/** Steps of {@link beginSteps} before the operations. */
const STEPS_BEFORE = 3

/** Fails the transaction of a key that is already claimed, so that no operation runs. */
function claimStep({ sender }: ChainInput, { key, bodyHash, deferFsync }: Link): PipelineStep {
  const { text, values } = renderClaim(key, sender.caller, bodyHash, deferFsync).render()
  return constant({ text: `select 1 / claim.claimed::int from (${text}) claim`, values })
}

/** A step whose text is always the same. */
function constant({ text, values }: { readonly text: string; readonly values: readonly unknown[] }): PipelineStep {
  return { text, values, key: text }
}

/** @throws if the transaction is still open: the connection cannot be reused */
async function rollback({ client }: ChainConnection): Promise<void> {
  const answers = await runPipeline(client, [[ROLLBACK], RESET_SESSION], { timeoutMs: 0, rowBytesMax: ROW_BYTES_MAX })
  const error = answers.find((answer) => answer.error)?.error
  if (error) throw uploadNotJudged(error)
}

/** An upload that may be applied in one write. */
interface Link {
  readonly key: UploadKey
  readonly bodyHash: Buffer
  readonly deferFsync: boolean
  readonly operations: readonly UploadOperation[]
  readonly steps: readonly PipelineStep[]
  /** Reads after the operations, for the verdicts. */
  readonly reads: readonly PlannedRead[]
  readonly readSteps: readonly PipelineStep[]
}

/** @returns `undefined` if there is no further upload, or it needs a decision between its statements */
function planLink({ uploads, memory, userId, sender }: ChainInput, index: number): Link | undefined {
  const upload = uploads[index]
  if (!upload || !mayChain(upload, memory)) return undefined
  const { operations } = upload
  const { role } = sender.caller
  const guarded = openGuardedRecords(operations, memory.tables)
  const steps: PipelineStep[] = []
  for (const operation of operations) {
    const table = memory.tables.get(operation.type)
    if (!table || !guarded.isAlone(operation) || (operation.op === 'PUT' && table.key.deferrable)) return undefined
    const planned = planOperation(operation, table, 'upsert')
    if (planned.kind !== 'statement') return undefined
    steps.push(keyed(planned.statement, table, role, memory))
  }
  const reads = guarded.plannedReads(memory.readable)
  return (
    reads && {
      key: { userId, clientId: upload.client_id, position: upload.position },
      bodyHash: hashOperations(operations),
      deferFsync: index < uploads.length - 1,
      operations,
      steps,
      reads,
      readSteps: reads.map(({ wanted: { id, table, columns } }) =>
        keyed(renderCurrent(id, table, columns, []), table, role, memory),
      ),
    }
  )
}

/** Prepares statements that the batch repeats. */
function keyed(statement: SqlFragment, table: WritableTable, role: string, { uses }: BatchMemory): PipelineStep {
  const { text, values } = statement.render()
  const count = (uses.get(text) ?? 0) + 1
  uses.set(text, count)
  return { text, values, ...(count >= PREPARE_FROM_REPEATS ? { key: `${role} ${typesOf(table)} ${text}` } : {}) }
}

function beginSteps(tx: ChainConnection, input: ChainInput, link: Link): readonly PipelineStep[] {
  const { context, sender } = input
  return [
    BEGIN,
    claimStep(input, link),
    assumeStep(tx, sessionOf(tx, sender.caller, context.statementTimeoutMs)),
    ...link.steps,
    CHECK_CONSTRAINTS,
    ...link.readSteps,
    LEAVE_ROLE,
  ]
}

/** @returns `undefined` unless every operation was applied */
function readJudgement({ operations, steps, reads, readSteps }: Link, answer: SegmentAnswer): Judgement | undefined {
  if (answer.error) return undefined
  const applied = answer.steps.slice(STEPS_BEFORE, STEPS_BEFORE + steps.length)
  if (applied.some(({ affected }) => affected === 0)) return undefined
  const found = answer.steps.slice(-1 - readSteps.length, -1)
  const now = new Map<UploadOperation, UploadRow>()
  for (const [index, { operation, shown }] of reads.entries()) {
    const values = found[index]?.rows[0]?.[0]
    if (values) now.set(operation, shown(JSON.parse(values.toString('utf8')) as UploadRow))
  }
  return { status: 'applied', verdicts: operations.map((operation) => appliedVerdict(operation, { now })) }
}
