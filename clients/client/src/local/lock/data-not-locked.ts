import { errorMessage } from '@holdfast/protocol'

/** The user is signed out, but their data on this device could not be encrypted. Nothing is lost. The client retries at its next start. */
export class DataNotLocked extends Error {
  override readonly name = 'DataNotLocked'
  readonly userId: string

  constructor(userId: string, cause: unknown) {
    super(`The data of user ${userId} on this device could not be locked: ${errorMessage(cause)}`, { cause })
    this.userId = userId
  }
}
