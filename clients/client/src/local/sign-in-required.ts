import type { SessionUser } from '../session/session-state.ts'

/** A person who has signed out opens their data on this device by signing in. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired'
  readonly userId: string

  constructor({ id, email }: SessionUser) {
    super(`${email ?? `User ${id}`} has signed out on this device. Sign in to open the data.`)
    this.userId = id
  }
}
