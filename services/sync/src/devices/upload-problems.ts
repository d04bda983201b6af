import { UPLOAD_PROBLEMS_MAX } from '../limits.ts'

/** Why a device's newest upload was not taken. */
export interface UploadProblem {
  readonly atMs: number
  /** Id of the request, to find it in the log. */
  readonly requestId: string
  readonly message: string
  readonly code: string
  /** Uploads that failed in a row. */
  readonly times: number
}

/** The last failed upload of each device, until one succeeds. Bounded: the oldest is forgotten. */
export class UploadProblems {
  readonly #byDevice = new Map<string, UploadProblem>()

  failed(userId: string, clientId: string, problem: Omit<UploadProblem, 'times'>): void {
    const key = keyOf(userId, clientId)
    const times = (this.#byDevice.get(key)?.times ?? 0) + 1
    this.#byDevice.delete(key)
    this.#byDevice.set(key, { ...problem, times })
    const [oldest] = this.#byDevice.keys()
    if (this.#byDevice.size > UPLOAD_PROBLEMS_MAX && oldest !== undefined) this.#byDevice.delete(oldest)
  }

  succeeded(userId: string, clientId: string): void {
    if (this.#byDevice.size > 0) this.#byDevice.delete(keyOf(userId, clientId))
  }

  of(userId: string, clientId: string): UploadProblem | undefined {
    return this.#byDevice.get(keyOf(userId, clientId))
  }
}

function keyOf(userId: string, clientId: string): string {
  return JSON.stringify([userId, clientId])
}
