import { assert } from '@holdfast/foundation'
import {
  assumeStep,
  runPipeline,
  type PipelineStep,
  type Connections,
  type Session,
  type StepAnswer,
} from '@holdfast/postgres'
import { DEFAULT_STREAM } from './active-plan.ts'
import { collect, createPins, roleOf, snapshotIn, statementOf, type KeyRow, type SnapshotAt } from './key-statement.ts'
import { subscriptionText } from './evaluate-keys.ts'
import type { EvaluatedKeys, EvaluatedSubscription, StreamSubscription } from './evaluated-keys.ts'

/** A request to evaluate a user's keys. */
export interface KeyQuestion {
  /** At least one. */
  readonly subscriptions: readonly StreamSubscription[]
  readonly session: Session
}

/** Size limit in bytes for a subscription's keys as JSON. Above it, the user's parts are evaluated one by one. */
const ROW_BYTES_MAX = 64 * 1024 * 1024

const constant = (text: string): PipelineStep => ({ text, values: [], key: text })
const begin = (timeoutMs: number): PipelineStep[] => [
  constant('set transaction isolation level repeatable read read only'),
  constant(`set local statement_timeout = ${timeoutMs}`),
  constant('savepoint person'),
]
/** Resets role, claims and settings changed by functions. */
const NEXT_USER = [constant('rollback to savepoint person')]

/** Whether one statement per subscription is enough. */
export function canEvaluateInBatch({ subscriptions, session }: KeyQuestion): boolean {
  return (
    subscriptions.length > 0 &&
    subscriptions.every((subscription) => roleOf(subscription, session).definitions.every(({ classes }) => !classes))
  )
}

/**
 * Evaluates the keys of several users in one transaction and one round trip. Each user's statements run with their own role and claims, and all share one
 * snapshot.
 *
 * @param timeoutMs - per statement
 * @returns results in the order of the questions; `undefined` where a statement failed and has to be evaluated alone
 * @throws if the connection fails
 */
export async function evaluateBatch(
  pool: Connections,
  questions: readonly KeyQuestion[],
  timeoutMs: number,
): Promise<readonly (EvaluatedKeys | undefined)[]> {
  return pool.transaction(async (tx) => {
    const segments = questions.flatMap(({ subscriptions, session }) => [
      [assumeStep(tx, session), ...subscriptions.flatMap((subscription) => stepsOf(subscription, session))],
      NEXT_USER,
    ])
    const [begun, ...answers] = await runPipeline(tx.client, [begin(timeoutMs), ...segments], {
      timeoutMs: 0,
      rowBytesMax: ROW_BYTES_MAX,
    })
    if (begun?.error) throw begun.error
    return questions.map((question, index) => {
      const answer = answers[2 * index]
      const undone = answers[2 * index + 1]
      if (undone?.error) throw undone.error
      return answer && !answer.error ? toKeys(question, answer.steps) : undefined
    })
  })
}

function stepsOf({ stream, parameters }: StreamSubscription, session: Session): PipelineStep[] {
  const { name, text } = statementOf(roleOf({ stream, parameters }, session), stream)
  // The plan is per role, because it contains the policies of the role. All keys are returned as one text, because parsing one row per key costs several
  // times as much.
  const read = {
    text: `select pg_catalog.json_agg(pg_catalog.json_build_array(q.part, q.key)) from (${text}) q`,
    values: [],
    key: `${name} ${session.role}`,
  }
  if (stream.name === DEFAULT_STREAM) return [read]
  const subscribe = `select pg_catalog.set_config('request.subscription', $1, true)`
  return [{ text: subscribe, values: [subscriptionText(parameters)], key: subscribe }, read]
}

function toKeys({ subscriptions, session }: KeyQuestion, steps: readonly StepAnswer[]): EvaluatedKeys {
  const pins = createPins()
  const evaluated: EvaluatedSubscription[] = []
  let at: SnapshotAt | undefined
  let next = 1 // the session's statements come first
  for (const subscription of subscriptions) {
    if (subscription.stream.name !== DEFAULT_STREAM) next++
    const rows = toKeyRows(steps[next++])
    at ??= snapshotIn(rows)
    const role = roleOf(subscription, session)
    const collected = collect(role, rows)
    pins.add(role, collected.pins)
    evaluated.push({ bucketNames: collected.bucketNames, asked: NO_CLASSES, problem: subscription.stream.problem })
  }
  assert(at, 'each subscription has a statement that tells the snapshot')
  return { ...at, subscriptions: evaluated, ...pins.taken() }
}

const NO_CLASSES: EvaluatedSubscription['asked'] = new Map()

function toKeyRows(answer: StepAnswer | undefined): readonly KeyRow[] {
  const list = answer?.rows[0]?.[0]
  assert(list, 'an aggregate over what has at least the row of the snapshot')
  return JSON.parse(list.toString('utf8')) as KeyRow[]
}
