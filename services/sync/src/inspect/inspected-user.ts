import type { Session } from '@holdfast/postgres'

/** A user whose data an operator inspects. */
export interface InspectedUser {
  readonly userId: string
  readonly role: string
  /** The claims that policies read. */
  readonly claims: Readonly<Record<string, unknown>>
  /** An access token of the user, valid for a few minutes. */
  readonly token: string
  /** Seconds since the epoch. */
  readonly expiresAtS: number
}

/** Finds a user by id or address; `undefined` if there is no such account. */
export type FindUser = (who: string) => Promise<InspectedUser | undefined>

export function sessionOf({ role, claims }: InspectedUser): Session {
  return { role, claims }
}
