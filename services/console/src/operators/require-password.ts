import { wrongPassword } from '../errors.ts'
import type { Credentials } from './credentials.ts'
import type { Operators } from './operators.ts'

export interface RequirePasswordNeeds {
  readonly operators: Operators
  readonly credentials: Credentials
}

/**
 * Checks the password of an operator before a dangerous action, so that an unattended browser is not enough.
 *
 * @param address - of the client, whose attempts are limited
 * @throws {HoldfastError} `wrong_password`, `over_request_rate_limit`
 */
export async function requirePassword(
  { operators, credentials }: RequirePasswordNeeds,
  given: { readonly id: string; readonly password: string; readonly address: string },
): Promise<void> {
  await credentials.takeAttempt(given.address, `password ${given.id}`)
  const { passwordHash } = await operators.getSecrets(given.id)
  if (!(await credentials.verifyPassword(given.password, passwordHash))) throw wrongPassword()
}
