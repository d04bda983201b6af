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

/** A statement, and as whom it runs; `judge` runs as the caller and is undone. */
export interface Step {
  readonly as: 'caller' | 'service' | 'judge'
  readonly statement: SqlFragment
}

/** As whom the steps of a request run. */
export interface Sessions {
  readonly caller: Session
  readonly service: Session
}

export interface RoundTrip {
  /** The rows of each step that ran before the first failure. */
  readonly rows: readonly (readonly object[])[]
  /** The first failure. Nothing of the transaction was kept if there is one. */
  readonly error: unknown
}

/** How a transaction ends: `read` changes nothing, `judge` is undone whatever it changed, `write` is committed. */
export type Ending = 'read' | 'judge' | 'write'

/** Bytes of one row. An object's own metadata has one MiB at most; rows may come from SQL. */
const OPTIONS: PipelineOptions = { timeoutMs: 0, rowBytesMax: 64 * 1024 * 1024 }

const constant = (text: string): PipelineStep => ({ text, values: [], key: text })
const BEGIN = constant('begin')
const COMMIT = constant('commit')
const ROLLBACK = constant('rollback')
const SAVEPOINT = constant('savepoint judged')
const UNDO = constant('rollback to savepoint judged')

/**
 * Runs steps in one transaction and one round trip: what begins it, roles, claims, statements and its end go to Postgres in one write. A connection that
 * could not be reset afterwards is not used again; what the transaction did is returned all the same.
 *
 * @param onSend - called when there is a connection: from then on something may be kept even if this rejects
 * @throws when the connection broke before the transaction was answered, or there was none
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
      // A failed transaction skips all that was sent with it.
      const again = resetAfterFailure(answer, ending)
      const isReset = again ? (await runThenReset(client, again, OPTIONS)).isClean : isClean
      if (!isReset) throw new Error('the connection could not be reset')
    })
  } catch (error) {
    if (!ended.answer) throw error
  }
  const { answer } = ended
  if (!answer) throw new Error('Postgres answered nothing')
  const ran = places.map((place) => answer.steps[ending === 'read' ? place : place + 1])
  return { rows: ran.filter((step) => step !== undefined).map((step) => decodeRows(step)), error: answer.error }
}

/** @returns the statements with what puts role and settings before them, and the place of each step among them */
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
    // Policies are part of a plan, so that each role has its own.
    sent.push({ text, values, key: `${session.role} ${text}` })
    if (isUndone) sent.push(UNDO)
    // The rollback of a judged statement restores role and settings.
    else current = session
  }
  return { sent, places }
}

function segmentsOf(sent: readonly PipelineStep[], ending: Ending): readonly (readonly PipelineStep[])[] {
  switch (ending) {
    case 'read':
      return [[...sent, ...RESET_SESSION]] // a pipeline without `begin` is a transaction, too
    case 'judge':
      return [
        [BEGIN, ...sent],
        [ROLLBACK, ...RESET_SESSION],
      ]
    case 'write':
      return [[BEGIN, ...sent, COMMIT], RESET_SESSION]
  }
}

/** What is sent after a failure that has skipped what was to reset the session; `undefined` if it was reset. */
function resetAfterFailure(
  { error, status }: SegmentAnswer,
  ending: Ending,
): readonly (readonly PipelineStep[])[] | undefined {
  if (ending === 'write' && status === 'E') return [[ROLLBACK], RESET_SESSION]
  return ending === 'read' && error ? [RESET_SESSION] : undefined
}
