import { isIP } from 'node:net'
import { HoldfastError, type Logger } from '@holdfast/foundation'
import type { AuthOptions } from '../options/auth-options.ts'
import { isLoopback } from '../rate-limits.ts'

/** The relying party of passkeys and security keys, which work only on these origins. */
export interface RelyingParty {
  /** A domain that equals or contains every origin's host. */
  readonly id: string
  /** Display name in browsers. */
  readonly name: string
  readonly origins: readonly string[]
}

type WebAuthnOptions = Pick<
  AuthOptions,
  | 'passkeyEnabled'
  | 'mfaWebAuthnEnrollEnabled'
  | 'mfaWebAuthnVerifyEnabled'
  | 'webauthnRpId'
  | 'webauthnRpDisplayName'
  | 'webauthnRpOrigins'
>

/** Android's Credential Manager identifies an app like this instead of by an origin. */
const ANDROID_APP = /^android:apk-key-hash:[A-Za-z0-9_-]+$/

/**
 * Determines the relying party. Passkeys belong to a domain, so a site on a loopback address uses `localhost` and must be opened there. A site
 * on any other IP address, or without TLS, has none.
 *
 * @param input.siteUrl - URL of the app
 * @param input.baseUrl - of this server
 * @returns `undefined` if the site cannot have one and no setting requires it
 * @throws {HoldfastError} `option_invalid` for settings that browsers would reject
 * @see https://www.w3.org/TR/webauthn-3/#relying-party-identifier
 */
export function createRelyingParty(input: {
  readonly options: WebAuthnOptions
  readonly siteUrl: string
  readonly baseUrl: string
  readonly projectName: string
  readonly logger: Logger
}): RelyingParty | undefined {
  const { options, logger } = input
  const isAskedFor =
    options.webauthnRpId !== undefined ||
    options.webauthnRpOrigins.length > 0 ||
    options.mfaWebAuthnEnrollEnabled ||
    options.mfaWebAuthnVerifyEnabled
  if (!isAskedFor && !options.passkeyEnabled) return undefined
  try {
    const site = new URL(input.siteUrl)
    const id = options.webauthnRpId?.toLowerCase() ?? domainOf(site)
    requireDomain(id)
    const origins =
      options.webauthnRpOrigins.length > 0
        ? options.webauthnRpOrigins.map((origin) => requireOrigin(origin, id))
        : defaultOrigins(site, new URL(input.baseUrl), id)
    return { id, name: options.webauthnRpDisplayName ?? input.projectName, origins }
  } catch (error) {
    if (isAskedFor || !(error instanceof HoldfastError)) throw error
    logger.log('info', 'there are no passkeys here', { reason: error.message, hint: error.hint })
    return undefined
  }
}

function domainOf(site: URL): string {
  return isOnLoopback(site) ? 'localhost' : site.hostname
}

/** @throws {HoldfastError} for an IP address, which passkeys cannot belong to */
function requireDomain(id: string): void {
  const isAddress = isIP(id.replaceAll(/^\[|\]$/g, '')) !== 0
  const isName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(id)
  if (isName && !isAddress) return
  throw invalid(
    `${JSON.stringify(id)} is no domain, and passkeys belong to one`,
    'Set siteUrl or webauthnRpId to a name.',
  )
}

/** @throws {HoldfastError} if pages of this origin cannot use the domain's credentials */
function requireOrigin(text: string, id: string): string {
  if (ANDROID_APP.test(text)) return text
  const url = URL.parse(text)
  if (
    url === null ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.origin !== text.replace(/\/$/, '')
  ) {
    throw invalid(`${JSON.stringify(text)} is no origin`, 'An origin is written as https://app.example.org.')
  }
  if (url.protocol === 'http:' && !isOnLoopback(url)) {
    throw invalid(`${text} has no TLS, and browsers refuse passkeys there`, 'Serve the site over https.')
  }
  const isBelow = url.hostname === id || url.hostname.endsWith(`.${id}`)
  if (!isBelow && !(id === 'localhost' && isOnLoopback(url))) {
    throw invalid(
      `${text} does not belong to the domain ${id}`,
      'The host of every origin of webauthnRpOrigins is webauthnRpId, or ends in it.',
    )
  }
  return url.origin
}

/** Returns the site's origin. On loopback, adds `localhost` at the site's and this server's ports, because IP addresses have no passkeys. */
function defaultOrigins(site: URL, base: URL, id: string): string[] {
  const origins = [requireOrigin(site.origin, id)]
  for (const url of [site, base]) {
    if (id === 'localhost' && isOnLoopback(url)) origins.push(atLocalhost(url))
  }
  return [...new Set(origins)]
}

function atLocalhost(url: URL): string {
  const there = new URL(url.origin)
  there.hostname = 'localhost'
  return there.origin
}

function isOnLoopback(url: URL): boolean {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || isLoopback(host)
}

function invalid(problem: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, `Passkeys cannot work with these settings: ${problem}.`, { hint })
}
