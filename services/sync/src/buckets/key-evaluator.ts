import { createBatcher } from '@holdfast/foundation'
import type { Connections, Session } from '@holdfast/postgres'
import { evaluateClasses, evaluateKeys, type AskedSubscription, type EvaluatedClasses } from './evaluate-keys.ts'
import { KEYS_PART_TIMEOUT_MS, KEYS_TIMEOUT_MS, SLOW_EVALUATIONS_MAX } from '../limits.ts'
import type { EvaluatedKeys, StreamSubscription } from './evaluated-keys.ts'
import type { PolicyFailures } from './policy-failures.ts'
import { createSlowUsers } from './slow-users.ts'
import { canEvaluateInBatch, evaluateBatch, type KeyQuestion } from './evaluate-batch.ts'

/** Evaluates users' buckets for all streams. */
export interface KeyEvaluator {
  /** Evaluates keys after the call. Devices with equal claims and subscriptions that wait at the same time share one result. */
  keys(subscriptions: readonly StreamSubscription[], session: Session): Promise<EvaluatedKeys>
  /** Evaluates new access classes. */
  classes(subscriptions: readonly AskedSubscription[], session: Session): Promise<EvaluatedClasses>
  /** Number of evaluations of keys or classes. */
  readonly evaluations: number
}

export interface KeyEvaluatorOptions {
  /** Connects as `authenticator`. */
  readonly pool: Connections
  /** Maximum concurrent evaluations, each on its own connection. */
  readonly concurrency: number
  /** Maximum users per round trip. */
  readonly peopleMax: number
  readonly failures: PolicyFailures
  /** Statement timeouts in ms: for a batch of users, and for each part of a single user's keys. */
  readonly timeouts?: { readonly togetherMs: number; readonly partMs: number }
}

/** The result of one question, or its failure when called. */
type Outcome<Answer> = () => Answer

async function settle<Answer>(body: () => Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    const answer = await body()
    return () => answer
  } catch (error) {
    return () => {
      throw error
    }
  }
}

export function createKeyEvaluator(options: KeyEvaluatorOptions): KeyEvaluator {
  const { pool, concurrency, peopleMax, failures } = options
  const { togetherMs, partMs } = options.timeouts ?? { togetherMs: KEYS_TIMEOUT_MS, partMs: KEYS_PART_TIMEOUT_MS }
  const slow = createSlowUsers()
  let evaluations = 0

  const ask = createBatcher<KeyQuestion, Outcome<EvaluatedKeys>>({
    concurrency,
    batchMax: peopleMax,
    keyOf: idOf,
    async run(questions) {
      evaluations += questions.length
      const together = questions.filter(canEvaluateInBatch)
      const found = together.length > 0 ? await evaluateBatch(pool, together, togetherMs) : []
      const keys = new Map(together.map((question, index) => [question, found[index]]))
      const outcomes: Outcome<EvaluatedKeys>[] = []
      for (const question of questions) {
        const answer = keys.get(question)
        outcomes.push(answer ? () => answer : await askAlone(question))
      }
      return outcomes
    },
  })

  async function askAlone({ subscriptions, session }: KeyQuestion): Promise<Outcome<EvaluatedKeys>> {
    const started = performance.now()
    const outcome = await settle(() => evaluateKeys(pool, subscriptions, session, failures, partMs))
    if (performance.now() - started > togetherMs) slow.add(session)
    return outcome
  }

  const askForSlow = createBatcher<KeyQuestion, Outcome<EvaluatedKeys>>({
    concurrency: SLOW_EVALUATIONS_MAX,
    batchMax: 1,
    keyOf: idOf,
    run: (questions) => {
      evaluations += questions.length
      return Promise.all(questions.map(askAlone))
    },
  })

  const askForClasses = createBatcher<() => Promise<EvaluatedClasses>, Outcome<EvaluatedClasses>>({
    concurrency,
    batchMax: 1,
    run: (questions) => {
      evaluations += questions.length
      return Promise.all(questions.map(settle))
    },
  })

  return {
    keys: async (subscriptions, session) =>
      (await (slow.has(session) ? askForSlow : ask)({ subscriptions, session }))(),
    classes: async (subscriptions, session) =>
      (await askForClasses(() => evaluateClasses(pool, subscriptions, session, failures)))(),
    get evaluations() {
      return evaluations
    },
  }
}

function idOf({ subscriptions, session }: KeyQuestion): string {
  return JSON.stringify([session, subscriptions.map(({ stream, parameters }) => [numberOf(stream), parameters])])
}

const numbers = new WeakMap<object, number>()
let nextNumber = 0

/** Distinguishes streams of different plans with equal names. */
function numberOf(stream: object): number {
  const known = numbers.get(stream)
  if (known !== undefined) return known
  numbers.set(stream, ++nextNumber)
  return nextNumber
}
