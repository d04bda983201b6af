import type { AuthorizationServer } from 'oauth4webapi'
import type { Clock } from '@holdfast/foundation'
import { PROVIDER_METADATA_AGE_MS, PROVIDER_METADATA_MAX } from '../limits.ts'
import type { Discover } from './provider.ts'
import { requireRecord } from './read-json.ts'

const REQUIRED = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

interface Remembered {
  readonly readAtMs: number
  readonly server: Promise<AuthorizationServer>
}

/**
 * Fetches and caches discovery documents. Failures are not cached.
 *
 * @see OpenID Connect Discovery 1.0, sections 3 and 4
 */
export function createDiscovery(clock: Clock): Discover {
  const remembered = new Map<string, Remembered>()
  return (network, issuer, address = discoveryUrlOf(issuer)) => {
    const key = `${issuer} ${address}`
    const known = remembered.get(key)
    if (known && clock.now() - known.readAtMs < PROVIDER_METADATA_AGE_MS) return known.server
    const server = network.getJson(address).then((document) => checkDiscovery(document, issuer))
    remembered.delete(key)
    remembered.set(key, { readAtMs: clock.now(), server })
    server.catch(() => {
      if (remembered.get(key)?.server === server) remembered.delete(key)
    })
    if (remembered.size > PROVIDER_METADATA_MAX) remembered.delete(remembered.keys().next().value ?? key)
    return server
  }
}

export function discoveryUrlOf(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
}

/** @throws {Error} unless the document is complete and names the issuer */
function checkDiscovery(document: unknown, issuer: string): AuthorizationServer {
  const server = requireRecord(document)
  const missing = REQUIRED.filter((field) => typeof server[field] !== 'string' || server[field] === '')
  if (missing.length > 0) {
    throw new Error(`OIDC discovery document is missing required fields: ${missing.join(', ')}`)
  }
  if (server['issuer'] !== issuer) {
    throw new Error(
      `OIDC discovery document names the issuer ${JSON.stringify(server['issuer'])}, not ${JSON.stringify(issuer)}`,
    )
  }
  return server as AuthorizationServer
}
