import type { Logger } from '@holdfast/foundation'
import type { Connections, Session } from '@holdfast/postgres'
import { createBatcher } from '../batcher.ts'
import { evaluateClasses, evaluateKeys, type AskedWant, type EvaluatedClasses } from './evaluate-keys.ts'
import type { EvaluatedKeys, Want } from './evaluated-keys.ts'
import { canEvaluateTogether, evaluateTogether, type KeyQuestion } from './evaluate-together.ts'

/** Finds out which buckets people have, for all streams. */
export interface KeyEvaluator {
  /** Evaluated after the call. Devices with equal claims that want the same and wait at the same time get one answer. */
  keys(wants: readonly Want[], session: Session): Promise<EvaluatedKeys>
  /** Asks for access classes that came to be. */
  classes(wants: readonly AskedWant[], session: Session): Promise<EvaluatedClasses>
  /** How often somebody's keys or classes have been asked for. */
  readonly evaluations: number
}

export interface KeyEvaluatorOptions {
  /** As `authenticator`. */
  readonly pool: Connections
  /** Evaluations under way at once, each on a connection of its own. */
  readonly concurrency: number
  /** People whose keys are asked for in one round trip. */
  readonly peopleMax: number
  readonly logger: Logger
}

/** An answer, or the failure of one among several questions. */
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
  const { pool, concurrency, peopleMax, logger } = options
  let evaluations = 0

  const ask = createBatcher<KeyQuestion, Outcome<EvaluatedKeys>>({
    concurrency,
    questionsMax: peopleMax,
    idOf: ({ wants, session }) =>
      JSON.stringify([session, wants.map(({ stream, parameters }) => [numberOf(stream), parameters])]),
    async ask(questions) {
      evaluations += questions.length
      const together = questions.filter(canEvaluateTogether)
      const found = together.length > 0 ? await evaluateTogether(pool, together) : []
      const keys = new Map(together.map((question, index) => [question, found[index]]))
      const outcomes: Outcome<EvaluatedKeys>[] = []
      for (const question of questions) {
        const answer = keys.get(question)
        outcomes.push(
          answer ? () => answer : await settle(() => evaluateKeys(pool, question.wants, question.session, logger)),
        )
      }
      return outcomes
    },
  })

  const askForClasses = createBatcher<() => Promise<EvaluatedClasses>, Outcome<EvaluatedClasses>>({
    concurrency,
    questionsMax: 1,
    ask: (questions) => {
      evaluations += questions.length
      return Promise.all(questions.map(settle))
    },
  })

  return {
    keys: async (wants, session) => (await ask({ wants, session }))(),
    classes: async (wants, session) => (await askForClasses(() => evaluateClasses(pool, wants, session, logger)))(),
    get evaluations() {
      return evaluations
    },
  }
}

const numbers = new WeakMap<object, number>()
let nextNumber = 0

/** Tells streams of one plan from those of another, whatever their names. */
function numberOf(stream: object): number {
  const known = numbers.get(stream)
  if (known !== undefined) return known
  numbers.set(stream, ++nextNumber)
  return nextNumber
}
