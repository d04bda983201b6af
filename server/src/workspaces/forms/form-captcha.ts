import type { CaptchaProvider } from '@holdfast/auth'
import { errorMessage, HoldfastError, type Logger, Semaphore } from '@holdfast/foundation'
import { networkOf } from '@holdfast/http'
import { tooManyRequests } from '../visitors.ts'
import type { ProofOfWork, Puzzle } from './proof-of-work.ts'

/** Longest response of a provider's widget in characters. */
const RESPONSE_CHARS_MAX = 8_192

/** Checks under way for all visitors and for one network: a provider that hangs holds them for ten seconds. */
const AT_ONCE_MAX = 20
const AT_ONCE_PER_NETWORK_MAX = 2
const WAITING_MAX = 100

/** Where an answer comes from, and what it is. */
export interface Answered {
  /** Id of the form. */
  readonly form: string
  /** Id of the record to be. */
  readonly submission: string
  readonly address: string
}

/** Tells visitors from bots for the forms that ask for it. */
export interface FormCaptcha {
  readonly kind: 'work' | CaptchaProvider['name']
  /** Creates a puzzle for one answer. @throws {HoldfastError} `no_puzzle` where a provider checks instead; `busy` */
  createPuzzle(answered: Answered): Promise<Puzzle>
  /**
   * @param proof - a solved puzzle, or the response of the provider's widget
   * @throws {HoldfastError} `captcha_failed`, 400; `captcha_unavailable`, 503; `busy`, 429
   */
  require(answered: Answered, proof: unknown): Promise<void>
}

/** @param by - the provider that checks, or the puzzles */
export function createFormCaptcha(by: CaptchaProvider | ProofOfWork, logger: Logger): FormCaptcha {
  const permits = new Semaphore({
    permits: AT_ONCE_MAX,
    perKeyMax: AT_ONCE_PER_NETWORK_MAX,
    waitingMax: WAITING_MAX,
    refuse: () => tooManyRequests(2),
  })
  const run = <T>({ address }: Answered, work: () => Promise<T>): Promise<T> =>
    permits.run({ key: networkOf(address) }, work)
  if ('verify' in by)
    return {
      kind: by.name,
      createPuzzle: () =>
        Promise.reject(new HoldfastError('no_puzzle', 404, `This server checks with ${by.name} instead of puzzles.`)),
      require: (answered, proof) => run(answered, () => verifyResponse(by, answered, proof, logger)),
    }
  return {
    kind: 'work',
    createPuzzle: (answered) => run(answered, () => by.create(subjectOf(answered))),
    require: (answered, proof) =>
      run(answered, async () => {
        if (!(await by.isSolved(subjectOf(answered), proof))) throw failed('the puzzle is not solved')
      }),
  }
}

async function verifyResponse(
  provider: CaptchaProvider,
  { address }: Answered,
  proof: unknown,
  logger: Logger,
): Promise<void> {
  if (typeof proof !== 'string' || proof === '' || proof.length > RESPONSE_CHARS_MAX) throw failed('no response')
  const verdict = await provider.verify(proof, address).catch((error: unknown) => {
    logger.log('warn', 'the captcha provider did not answer', { provider: provider.name, error: errorMessage(error) })
    throw new HoldfastError('captcha_unavailable', 503, 'The check against bots is not available. Try again later.', {
      cause: error,
      headers: { 'retry-after': '30' },
    })
  })
  if (!verdict.success) throw failed(verdict.errorCodes.join(', '))
}

function subjectOf({ form, submission }: Answered): string {
  return `${form} ${submission}`
}

function failed(reason: string): HoldfastError {
  return new HoldfastError('captcha_failed', 400, `The check against bots was not passed (${reason}).`)
}
