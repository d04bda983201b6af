import { randomUUID } from 'node:crypto'
import type { Transaction } from '@holdfast/postgres'
import type { Hooks } from '../hooks/hooks.ts'
import { createUser } from '../sign-up/create-user.ts'
import { mergeMetadata, type UserMetadata } from '../users/user-metadata.ts'
import type { UserRow } from '../users/user-row.ts'

/**
 * Makes an account for an address: of a person who was invited, or for whom an administrator made a link. The `before_user_created` hook is asked,
 * as at any sign-up.
 *
 * @throws {HoldfastError} those of `createUser`
 */
export function createEmailAccount(
  hooks: Hooks,
  tx: Transaction,
  input: {
    /** In lower case. */
    readonly email: string
    readonly metadata: UserMetadata
    /** Whether the person has shown that they read its mails; else the account waits for that. */
    readonly isConfirmed: boolean
    readonly passwordHash?: string | undefined
    readonly address: string
    readonly now: string
  },
): Promise<UserRow> {
  const { email, isConfirmed, address, now } = input
  const id = randomUUID()
  return createUser(hooks, tx, {
    user: {
      id,
      identity: {
        id: randomUUID(),
        provider: 'email',
        providerId: id,
        data: { sub: id, email, email_verified: isConfirmed, phone_verified: false },
      },
      email,
      passwordHash: input.passwordHash,
      appMetadata: { provider: 'email', providers: ['email'] },
      userMetadata: mergeMetadata(input.metadata, isConfirmed ? { email_verified: true } : {}),
      emailConfirmed: isConfirmed,
      now,
    },
    address,
    announce: true,
  })
}
