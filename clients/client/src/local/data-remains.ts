import { errorMessage } from '@holdfast/protocol'
/**
 * The user is signed out, but some of their data could not be removed from this device. The client retries at its next start; until then `client.removals`
 * lists them.
 */
export class DataRemains extends Error {
  override readonly name = 'DataRemains'
  readonly userId: string

  constructor(userId: string, cause: unknown) {
    const reason = errorMessage(cause)
    super(`Not all data of user ${userId} could be removed from this device: ${reason}`, { cause })
    this.userId = userId
  }
}
