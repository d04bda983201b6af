import { createHash } from 'node:crypto'
import { errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { WeakPasswordError } from '../errors.ts'
import { LEAKED_PASSWORDS_BYTES_MAX, LEAKED_PASSWORDS_TIMEOUT_MS } from '../limits.ts'
import type { AuthOptions } from '../options/auth-options.ts'

/** Characters of the digest sent to the service. Hundreds of leaked passwords share each prefix, so it reveals nothing about one. */
const PREFIX_CHARACTERS = 5

/** A breached-password service. */
export interface LeakedPasswords {
  /**
   * @returns GoTrue's error with the reason `pwned`; `undefined` for a password not known to have leaked
   * @throws {HoldfastError} `unexpected_failure` if the service does not respond and the settings refuse unchecked passwords
   */
  judge(password: string): Promise<WeakPasswordError | undefined>
}

export type LeakedPasswordOptions = Pick<
  AuthOptions,
  'passwordHibpEnabled' | 'passwordHibpFailClosed' | 'passwordHibpUrl'
>

/**
 * Creates the check by range: sends a prefix of the password's SHA-1 and receives every leaked hash that starts with it.
 *
 * @see https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
 */
export function createLeakedPasswords(options: LeakedPasswordOptions, logger: Logger): LeakedPasswords {
  if (!options.passwordHibpEnabled) return { judge: async () => undefined }
  const url = options.passwordHibpUrl.replace(/\/+$/, '')
  return {
    async judge(password) {
      const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
      try {
        const range = await readRange(`${url}/range/${digest.slice(0, PREFIX_CHARACTERS)}`)
        if (!contains(range, digest.slice(PREFIX_CHARACTERS))) return undefined
      } catch (error) {
        logger.log('warn', 'could not ask whether a password has leaked', { error: errorMessage(error) })
        if (!options.passwordHibpFailClosed) return undefined
        throw new HoldfastError('unexpected_failure', 500, 'The password could not be checked, try again later', {
          cause: error,
        })
      }
      const message = 'Password is known to be weak and easy to guess, please choose a different one.'
      return new WeakPasswordError(message, ['pwned'])
    },
  }
}

async function readRange(url: string): Promise<string> {
  const response = await fetch(url, {
    // Without padding, the number of lines would reveal the prefix.
    headers: { 'add-padding': 'true', 'user-agent': 'holdfast' },
    redirect: 'error',
    signal: AbortSignal.timeout(LEAKED_PASSWORDS_TIMEOUT_MS),
  })
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > LEAKED_PASSWORDS_BYTES_MAX) throw new Error('the answer is too long')
  }
  return text
}

/** Searches lines of `suffix:count`. Padding has count 0. */
function contains(range: string, suffix: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [found, count] = line.split(':')
    return found?.toUpperCase() === suffix && Number(count) > 0
  })
}
