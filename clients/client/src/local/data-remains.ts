/**
 * The user is signed out, but not all of their data could be removed from this device. The client tries again at its next start, and
 * `client.removals` has them until it succeeds.
 */
export class DataRemains extends Error {
  override readonly name = 'DataRemains'
  readonly userId: string

  constructor(userId: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`Not all data of user ${userId} could be removed from this device: ${reason}`, { cause })
    this.userId = userId
  }
}
