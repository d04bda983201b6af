import type { SessionUser } from '../session/session-state.ts'

/** The user has signed out; their local data requires signing in. */
export class SignInRequired extends Error {
  override readonly name = 'SignInRequired'
  readonly userId: string

  constructor({ id, email }: SessionUser) {
    super(`${email ?? `User ${id}`} has signed out on this device. Sign in to open the data.`)
    this.userId = id
  }
}
