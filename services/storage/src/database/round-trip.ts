import {
  assumeStep,
  decodeRows,
  RESET_SESSION,
  runThenReset,
  type Connections,
  type PipelineOptions,
  type PipelineStep,
  type SegmentAnswer,
  type Session,
  type SqlFragment,
} from '@holdfast/postgres'

/** A statement and its session; a `judge` step runs as the caller and is rolled back. */
export interface Step {
  readonly as: 'caller' | 'service' | 'judge'
  readonly statement: SqlFragment
}

/** The sessions in which a request's steps run. */
export interface Sessions {
  readonly caller: Session
  readonly service: Session
}

export interface RoundTrip {
  /** Rows of each step before the first error. */
  readonly rows: readonly (readonly object[])[]
  /** The first error. If set, the transaction was rolled back. */
  readonly error: unknown
}

/** `read` changes nothing, `judge` is always rolled back, `write` is committed. */
export type Ending = 'read' | 'judge' | 'write'

/** Row limit in bytes. User metadata is limited to 1 MiB, but rows may come from SQL. */
const OPTIONS: PipelineOptions = { timeoutMs: 0, rowBytesMax: 64 * 1024 * 1024 }

const constant = (text: string): PipelineStep => ({ text, values: [], key: text })
const BEGIN = constant('begin')
const COMMIT = constant('commit')
const ROLLBACK = constant('rollback')
const SAVEPOINT = constant('savepoint judged')
const UNDO = constant('rollback to savepoint judged')

/**
 * Runs steps in one transaction and one round trip, including BEGIN, roles, claims and COMMIT. Discards the connection if its session could not be reset, and
 * still returns the result.
 *
 * @param onSend - called once a connection is available; after that, changes may be committed even if this rejects
 * @throws if no connection is available or it fails before the response is complete
 */
export async function runRoundTrip(
  connections: Connections,
  sessions: Sessions,
  steps: readonly Step[],
  { ending, onSend }: { readonly ending: Ending; readonly onSend?: (() => void) | undefined },
): Promise<RoundTrip> {
  const { sent, places } = renderSteps(steps, sessions, connections.roleSettings, ending === 'write')
  const ended: { answer?: SegmentAnswer } = {}
  try {
    await connections.withClient(async (client) => {
      onSend?.()
      const { answer, isClean } = await runThenReset(client, segmentsOf(sent, ending), OPTIONS)
      ended.answer = answer
      // A failed transaction skips the reset that was sent with it.
      const again = resetAfterFailure(answer, ending)
      const isReset = again ? (await runThenReset(client, again, OPTIONS)).isClean : isClean
      if (!isReset) throw new Error('the connection could not be reset')
    })
  } catch (error) {
    if (!ended.answer) throw error
  }
  const { answer } = ended
  if (!answer) throw new Error('Postgres did not respond')
  const ran = places.map((place) => answer.steps[ending === 'read' ? place : place + 1])
  return { rows: ran.filter((step) => step !== undefined).map((step) => decodeRows(step)), error: answer.error }
}

/** @returns the statements, interleaved with role and setting changes, and the index of each step */
function renderSteps(
  steps: readonly Step[],
  { caller, service }: Sessions,
  roleSettings: Connections['roleSettings'],
  undoesJudged: boolean,
): { readonly sent: readonly PipelineStep[]; readonly places: readonly number[] } {
  const sent: PipelineStep[] = []
  const places: number[] = []
  let current: Session | undefined
  for (const { as: whom, statement } of steps) {
    const session = whom === 'service' ? service : caller
    const isUndone = whom === 'judge' && undoesJudged
    if (isUndone) sent.push(SAVEPOINT)
    if (current !== session) sent.push(assumeStep({ roleSettings }, session))
    places.push(sent.length)
    const { text, values } = statement.render()
    // Plans include policies, so each role needs its own prepared statements.
    sent.push({ text, values, key: `${session.role} ${text}` })
    if (isUndone) sent.push(UNDO)
    // The rollback of a judged step restores role and settings.
    else current = session
  }
  return { sent, places }
}

function segmentsOf(sent: readonly PipelineStep[], ending: Ending): readonly (readonly PipelineStep[])[] {
  switch (ending) {
    case 'read':
      return [[...sent, ...RESET_SESSION]] // a pipeline without BEGIN is also a transaction
    case 'judge':
      return [
        [BEGIN, ...sent],
        [ROLLBACK, ...RESET_SESSION],
      ]
    case 'write':
      return [[BEGIN, ...sent, COMMIT], RESET_SESSION]
  }
}

/** Returns the reset statements for a session whose reset was skipped after a failure; `undefined` if it was reset. */
function resetAfterFailure(
  { error, status }: SegmentAnswer,
  ending: Ending,
): readonly (readonly PipelineStep[])[] | undefined {
  if (ending === 'write' && status === 'E') return [[ROLLBACK], RESET_SESSION]
  return ending === 'read' && error ? [RESET_SESSION] : undefined
}
