import type { Session } from '@holdfast/postgres'

/** A person whose view an operator looks at. */
export interface InspectedUser {
  readonly userId: string
  readonly role: string
  /** As policies read them. */
  readonly claims: Readonly<Record<string, unknown>>
  /** A token as the person's own, for a few minutes. */
  readonly token: string
  /** Seconds since the epoch. */
  readonly expiresAtS: number
}

/** Finds a person by id or address; `undefined`: there is no such account. */
export type FindUser = (who: string) => Promise<InspectedUser | undefined>

export function sessionOf({ role, claims }: InspectedUser): Session {
  return { role, claims }
}
