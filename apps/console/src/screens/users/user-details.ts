import { formatTime } from '../../lib/format.ts'

/** A user as the accounts API returns it, with the parts that the console shows. */
export interface AccountUser {
  readonly id: string
  readonly role?: string
  readonly email?: string
  readonly phone?: string
  readonly created_at: string
  readonly updated_at: string
  readonly confirmed_at?: string
  readonly last_sign_in_at?: string
  readonly banned_until?: string
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly app_metadata: Readonly<Record<string, unknown>>
  readonly identities?: readonly { readonly provider: string }[]
}

/** `GET /users/:id`. */
export interface UserDetails {
  readonly user: AccountUser
  readonly sessions: readonly {
    readonly id: string
    readonly created_at: string
    readonly refreshed_at?: string
    readonly not_after?: string
    /** `support` for the session of a support link. */
    readonly tag?: string
    readonly user_agent?: string
    readonly ip?: string
    readonly aal?: string
  }[]
  readonly factors: readonly Factor[]
  readonly passkeys: readonly Factor[]
}

interface Factor {
  readonly id: string
  readonly friendly_name?: string
  readonly factor_type?: string
  readonly created_at: string
}

/** Returns whether a user is banned now. */
export function isBanned({ banned_until: until }: Pick<AccountUser, 'banned_until'>): boolean {
  return until !== undefined && Date.parse(until) > Date.now()
}

/** Returns when a session with an end ends: `ends 30 Nov 2026, 14:05:12`; an empty text for others. */
export function describeEnd({ not_after: end }: Pick<UserDetails['sessions'][number], 'not_after'>): string {
  if (!end) return ''
  return `${Date.parse(end) > Date.now() ? 'ends' : 'ended'} ${formatTime(end)}`
}
