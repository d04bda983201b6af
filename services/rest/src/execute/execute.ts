import { HoldfastError } from '@holdfast/foundation'
import {
  RESET_SESSION,
  runThenReset,
  type AnswerThenReset,
  type Connections,
  type PipelineStep,
  type SegmentAnswer,
  type StepAnswer,
} from '@holdfast/postgres'
import { toSettingRefusal } from '../query/render-answer-settings.ts'

/** Result of a request's main statement: one row, everything but the body as text. */
export interface ResultRow {
  /** Rows without the range, when they were counted. */
  readonly total: string | null
  /** Rows that were read or written. */
  readonly rows: string
  /** As sent by Postgres, passed on without decoding. */
  readonly body: Buffer
  readonly location: string | null
  /** Rows of an upsert that were inserted. */
  readonly inserted: string | null
  /** `response.headers` and `response.status`, which functions may set. */
  readonly headers: string | null
  readonly status: string | null
}

export interface ExecuteResult {
  readonly row: ResultRow
  /** Rows that the planner expects, when it was asked. */
  readonly planned: number | undefined
}

/** A rendered statement. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Under which a connection keeps it prepared; it says the text and all that its plan depends on. */
  readonly key: string | undefined
}

export interface ExecuteInput {
  readonly main: Statement
  /** `explain` of the counting query. */
  readonly explain: Statement | undefined
  readonly settings: Statement
  /** Runs as the role of the request, after the settings and before the statement. */
  readonly preRequest: Statement | undefined
  readonly readOnly: boolean
  readonly isolation: 'repeatable read' | 'serializable' | undefined
  /** Whether nothing is kept of what was written. */
  readonly rollback: boolean
  /** Looks at the row before the end of the transaction, which is then rolled back when it throws. */
  readonly verify: ((row: ResultRow) => void) | undefined
  /** Milliseconds after which Postgres counts as gone; 0 for no bound. It ends statements that take too long by itself, and earlier. */
  readonly timeoutMs: number
  readonly rowBytesMax: number
  /** Whether the client has gone. Asked when a connection is there. */
  readonly isAbandoned: () => boolean
}

/** The client has gone: nothing was run. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned'
}

/**
 * Runs a request in one transaction: settings, role and statement go to Postgres in one write and are committed by its end, so that a request costs
 * one round trip. Only what has to be looked at before it is kept (`verify`) costs a second one.
 *
 * The result is read whole before anything is answered, so a slow client never holds a transaction. The connection goes back clean
 * or not at all; what the transaction did is answered in either case.
 *
 * @throws what Postgres reported first; {@link Abandoned}
 */
export async function execute(pool: Connections, input: ExecuteInput): Promise<ExecuteResult> {
  const ended: { outcome?: Outcome } = {}
  try {
    await pool.withClient(async (client) => {
      if (input.isAbandoned()) throw new Abandoned()
      const options = { timeoutMs: input.timeoutMs, rowBytesMax: input.rowBytesMax }
      const { outcome, isClean } = await runTransaction((segments) => runThenReset(client, segments, options), input)
      ended.outcome = outcome
      if (!isClean) throw new Error('the connection could not be reset')
    })
  } catch (error) {
    if (!ended.outcome) throw error
  }
  const { outcome } = ended
  if (outcome?.kind === 'done') return outcome.result
  throw outcome?.error ?? new Error('the transaction has no outcome')
}

type Outcome =
  | { readonly kind: 'done'; readonly result: ExecuteResult }
  | { readonly kind: 'failed'; readonly error: Error }

type Run = (segments: readonly (readonly PipelineStep[])[]) => Promise<AnswerThenReset>

function constant(text: string): PipelineStep {
  return { text, values: [], key: text }
}

const COMMIT = constant('commit')
const ROLLBACK = constant('rollback')
/** Deferred constraints are checked before a rollback too, so that what would have failed at the commit fails now. */
const CHECK_CONSTRAINTS = constant('set constraints all immediate')

/** @throws when the connection broke before the end of the transaction was known */
async function runTransaction(
  run: Run,
  input: ExecuteInput,
): Promise<{ readonly outcome: Outcome; readonly isClean: boolean }> {
  // A pipeline without `begin` is a transaction too. What ends otherwise than by a commit, or is another kind of one, has to say so.
  const explicit = input.verify !== undefined || input.rollback || input.isolation !== undefined
  const opening = explicit ? [constant(beginOf(input))] : []
  const before = [...opening, input.settings, ...(input.preRequest ? [input.preRequest] : [])]
  const statements = [...before, input.main, ...(input.explain ? [input.explain] : [])]
  const read = (answer: SegmentAnswer): ExecuteResult | undefined => {
    const row = toRow(answer.steps[before.length])
    const planned = input.explain ? plannedRows(answer.steps[before.length + 1]) : undefined
    return row && { row, planned }
  }
  const finish = (answer: SegmentAnswer, error = answer.error): Outcome => {
    if (error) return { kind: 'failed', error: toSettingRefusal(error) ?? error }
    const result = read(answer)
    return result ? { kind: 'done', result } : { kind: 'failed', error: new Error('the statement answered no row') }
  }

  if (!explicit) {
    // Nothing that is deferred can be left of a transaction that only reads, so that its session is reset inside it, unless it fails.
    const segments = input.readOnly ? [[...statements, ...RESET_SESSION]] : [statements, RESET_SESSION]
    const { answer, isClean } = await run(segments)
    const isReset = answer.error && input.readOnly && isClean ? (await run([RESET_SESSION])).isClean : isClean
    return { outcome: finish(answer), isClean: isReset }
  }
  const end = input.rollback ? [CHECK_CONSTRAINTS, ROLLBACK] : [COMMIT]
  if (!input.verify) {
    const only = await run([[...statements, ...end], RESET_SESSION])
    return { outcome: finish(only.answer), isClean: await isCleanAfter(run, only) }
  }
  const { answer } = await run([statements])
  const refusal = answer.error ?? refusalOf(input, read(answer))
  const ended = await run([refusal === undefined ? end : [ROLLBACK], RESET_SESSION])
  return { outcome: finish(answer, refusal ?? ended.answer.error), isClean: await isCleanAfter(run, ended) }
}

/** A failed statement skips the end of its transaction, and what was to reset the connection fails in it. */
async function isCleanAfter(run: Run, { answer, isClean }: AnswerThenReset): Promise<boolean> {
  return answer.status === 'I' ? isClean : (await run([[ROLLBACK], RESET_SESSION])).isClean
}

/** Unspecified properties keep the session defaults of `authenticator`, as in implicit transactions. */
function beginOf({ isolation, readOnly }: ExecuteInput): string {
  return `begin${isolation === undefined ? '' : ` isolation level ${isolation}`}${readOnly ? ' read only' : ''}`
}

function refusalOf({ verify }: ExecuteInput, result: ExecuteResult | undefined): Error | undefined {
  if (!verify || !result) return undefined
  try {
    verify(result.row)
    return undefined
  } catch (error) {
    if (error instanceof HoldfastError) return error
    throw error
  }
}

const NOTHING = Buffer.alloc(0)
const BYTEA_OID = 17

function toRow(answer: StepAnswer | undefined): ResultRow | undefined {
  const values = answer?.rows[0]
  if (!answer || !values) return undefined
  if (answer.columns[0]?.name === 'QUERY PLAN') return explained(answer)
  const row: Record<string, unknown> = {}
  answer.columns.forEach(({ name, typeOid }, index) => {
    const value = values[index] ?? null
    if (name !== 'body') row[name] = value === null ? null : value.toString()
    else row[name] = value === null ? NOTHING : typeOid === BYTEA_OID ? fromHex(value) : value
  })
  return row as unknown as ResultRow
}

/** Joins the output of `explain`, one row per line. */
function explained({ rows }: StepAnswer): ResultRow {
  const body = Buffer.from(rows.map(([line]) => `${line?.toString() ?? ''}\n`).join(''))
  return { total: null, rows: '1', body, location: null, inserted: null, headers: null, status: null }
}

/** `\x0102` */
function fromHex(value: Buffer): Buffer {
  return Buffer.from(value.toString('latin1', 2), 'hex')
}

/** Reads `[{"Plan": {"Plan Rows": 42}}]`. */
function plannedRows(answer: StepAnswer | undefined): number | undefined {
  const text = answer?.rows[0]?.[0]?.toString()
  if (text === undefined) return undefined
  const plans = JSON.parse(text) as readonly { Plan?: { 'Plan Rows'?: number } }[]
  return plans[0]?.Plan?.['Plan Rows']
}
