import { IDENTITY_DATA_BYTES_MAX, USER_METADATA_BYTES_MAX } from '../limits.ts'
import { parseEmail } from '../users/contact.ts'
import type { UserMetadata } from '../users/user-metadata.ts'

/** An address as a provider knows it. Only one that the provider has verified says anything about who is there. */
export interface ProviderEmail {
  /** Lowercase. */
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** A user's profile from a provider. */
export interface ExternalProfile {
  /** The provider's own name for the person, which never changes. */
  readonly subject: string
  readonly emails: readonly ProviderEmail[]
  /** OpenID claims without the email; absent ones are omitted. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** Addresses that are none are passed over. */
export function toProviderEmails(
  emails: readonly { readonly email: unknown; readonly verified: boolean; readonly primary: boolean }[],
): ProviderEmail[] {
  return emails.flatMap(({ email, verified, primary }) => {
    if (typeof email !== 'string' || email === '') return []
    try {
      return [{ email: parseEmail(email), verified, primary }]
    } catch {
      return [] // no mail arrives there, so it counts as none
    }
  })
}

/** The address that stands for the person: the primary one, else the last. */
export function mainEmail(profile: ExternalProfile): ProviderEmail | undefined {
  return profile.emails.find((email) => email.primary) ?? profile.emails.at(-1)
}

/** The part of a profile that is stored with the identity, in GoTrue's form. A provider that says too much loses its own claims first. */
export function toIdentityData(profile: ExternalProfile): UserMetadata {
  const main = mainEmail(profile)
  const data = {
    ...withoutEmpty(profile.claims),
    sub: profile.subject,
    ...(main ? { email: main.email } : {}),
    email_verified: main?.verified ?? false,
    phone_verified: profile.claims['phone_verified'] === true,
  }
  return fit(data, IDENTITY_DATA_BYTES_MAX)
}

/**
 * Puts what a provider says over what the user's metadata has. It travels in every access token, so values too large for that are left out.
 */
export function mergeProviderData(current: UserMetadata | null, identityData: UserMetadata): UserMetadata {
  return fit({ ...current, ...identityData }, USER_METADATA_BYTES_MAX, Object.keys(identityData))
}

const ALWAYS_KEPT = new Set(['sub', 'email', 'email_verified', 'phone_verified'])

function fit(data: UserMetadata, bytesMax: number, droppable: readonly string[] = Object.keys(data)): UserMetadata {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
  const kept: Record<string, unknown> = { ...data }
  const largestFirst = droppable
    .filter((key) => !ALWAYS_KEPT.has(key) && key in kept)
    .toSorted((left, right) => sizeOf(kept[right]) - sizeOf(kept[left]))
  for (const key of largestFirst) {
    if (sizeOf(kept) <= bytesMax) break
    delete kept[key]
  }
  return kept
}

function withoutEmpty(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(claims).filter(([, value]) => {
      if (value === undefined || value === null || value === '') return false
      return typeof value !== 'object' || Object.keys(value).length > 0
    }),
  )
}
