import { IDENTITY_DATA_BYTES_MAX, USER_METADATA_BYTES_MAX } from '../limits.ts'
import { parseEmail } from '../users/contact.ts'
import type { UserMetadata } from '../users/user-metadata.ts'

/** A user's address at a provider. Only a verified one proves who the user is. */
export interface ProviderEmail {
  /** Lowercase. */
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

/** A user's profile from a provider. */
export interface ExternalProfile {
  /** The provider's permanent id of the user. */
  readonly subject: string
  readonly emails: readonly ProviderEmail[]
  /** OpenID claims without the email; absent ones are omitted. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** Normalizes addresses and skips invalid ones. */
export function toProviderEmails(
  emails: readonly { readonly email: unknown; readonly verified: boolean; readonly primary: boolean }[],
): ProviderEmail[] {
  return emails.flatMap(({ email, verified, primary }) => {
    if (typeof email !== 'string' || email === '') return []
    try {
      return [{ email: parseEmail(email), verified, primary }]
    } catch {
      return [] // not deliverable, so it is ignored
    }
  })
}

/** Returns the user's address: the primary one, otherwise the last. */
export function mainEmail(profile: ExternalProfile): ProviderEmail | undefined {
  return profile.emails.find((email) => email.primary) ?? profile.emails.at(-1)
}

/** Renders the stored part of a profile in GoTrue's format. If it is too large, the provider's extra claims are dropped first. */
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
 * Merges the provider's data over the user's metadata. Every access token carries the result, so oversized values are dropped.
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
