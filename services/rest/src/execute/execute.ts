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

/** Result row of a request's main statement. Everything except the body is text. */
export interface ResultRow {
  /** Total rows regardless of the range, if counted. */
  readonly total: string | null
  /** Number of rows read or written. */
  readonly rows: string
  /** As sent by Postgres, passed on without decoding. */
  readonly body: Buffer
  readonly location: string | null
  /** Number of rows that an upsert inserted. */
  readonly inserted: string | null
  /** `response.headers` and `response.status`, which functions may set. */
  readonly headers: string | null
  readonly status: string | null
}

export interface ExecuteResult {
  readonly row: ResultRow
  /** Rows estimated by the planner, if requested. */
  readonly planned: number | undefined
}

/** A rendered statement. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
  /** Name of the prepared statement; identifies the text and everything its plan depends on. */
  readonly key: string | undefined
}

export interface ExecuteInput {
  readonly main: Statement
  /** `explain` of the counting query. */
  readonly explain: Statement | undefined
  readonly settings: Statement
  /** Runs as the request's role, after the settings and before the statement. */
  readonly preRequest: Statement | undefined
  readonly readOnly: boolean
  readonly isolation: 'repeatable read' | 'serializable' | undefined
  /** Whether writes are rolled back. */
  readonly rollback: boolean
  /** Checks the row before the commit. Throwing rolls the transaction back. */
  readonly verify: ((row: ResultRow) => void) | undefined
  /** Time in ms after which Postgres counts as gone; 0 for no limit. Postgres's own statement timeout is shorter. */
  readonly timeoutMs: number
  readonly rowBytesMax: number
  /** Returns whether the client has disconnected. Called once a connection is available. */
  readonly isAbandoned: () => boolean
}

/** The client disconnected, so nothing was run. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned'
}

/**
 * Runs a request in one transaction. Settings, role, statement and commit are sent in one write, so a request takes one round trip. Only a
 * check before the commit (`verify`) takes a second one.
 *
 * The result is read completely before the response starts, so a slow client never holds a transaction. The connection is returned clean or
 * discarded; the outcome of the transaction is reported in either case.
 *
 * @throws the first error from Postgres; {@link Abandoned}
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
/** Checks deferred constraints before a rollback, so that errors that a commit would raise are raised too. */
const CHECK_CONSTRAINTS = constant('set constraints all immediate')

/** @throws if the connection broke before the outcome of the transaction was known */
async function runTransaction(
  run: Run,
  input: ExecuteInput,
): Promise<{ readonly outcome: Outcome; readonly isClean: boolean }> {
  // A pipeline is a transaction even without `begin`. Only another isolation level or another end than a commit needs an explicit one.
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
    // A read-only transaction leaves nothing deferred, so the session is reset inside it unless it fails.
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

/** A failed statement skips the rest of its transaction, including the reset of the connection. */
async function isCleanAfter(run: Run, { answer, isClean }: AnswerThenReset): Promise<boolean> {
  return answer.status === 'I' ? isClean : (await run([[ROLLBACK], RESET_SESSION])).isClean
}

/** Renders `begin`. Unspecified properties keep the session defaults of `authenticator`, as in implicit transactions. */
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
