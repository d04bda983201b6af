export interface BatcherOptions<Question, Answer> {
  /** @returns the answers in the order of the questions */
  readonly ask: (questions: readonly Question[]) => Promise<readonly Answer[]>
  /** How many of these may be under way at once. */
  readonly concurrency: number
  /** Questions asked together at most. */
  readonly questionsMax: number
  /** The same for questions whose answers are the same. Default: each is asked. */
  readonly idOf?: (question: Question) => string
}

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly answer: Promise<Answer>
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Makes many questions few. One that finds a free place is asked at once; others wait and are asked together, equal ones once. What was under way before
 * the call never answers it.
 */
export function createBatcher<Question, Answer>(
  options: BatcherOptions<Question, Answer>,
): (question: Question) => Promise<Answer> {
  const { ask, concurrency, questionsMax, idOf } = options
  const waiting = new Map<unknown, Waiting<Question, Answer>>()
  let running = 0

  function start(): void {
    while (running < concurrency && waiting.size > 0) {
      const batch: Waiting<Question, Answer>[] = []
      for (const [id, one] of waiting) {
        waiting.delete(id)
        batch.push(one)
        if (batch.length === questionsMax) break
      }
      running++
      void run(batch)
    }
  }

  async function run(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await ask(batch.map(({ question }) => question))
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      start()
    }
  }

  return (question) => {
    const id = idOf?.(question) ?? Symbol()
    const same = waiting.get(id)
    if (same) return same.answer
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    waiting.set(id, { question, answer: promise, resolve, reject })
    start()
    return promise
  }
}
