import { hkdfSync } from 'node:crypto'
import { jwtVerify, SignJWT, type JWTPayload } from 'jose'
import { errorMessage, type Clock } from '@holdfast/foundation'
import type { ObjectName } from './database/objects.ts'
import { invalidJwt, invalidSignature } from './errors.ts'
import { SIGNED_UPLOAD_LIFETIME_S } from './limits.ts'

/** What a signed URL permits its holder to do with one object. */
export type SignedScope = 'download' | 'upload'

export interface SignedDownload {
  /** Expiry, in seconds since the epoch. */
  readonly expiresAtS: number
  /** The transform it is restricted to, such as `height:100,resize:cover`. */
  readonly transformations: string | undefined
  readonly format: string | undefined
}

export interface SignedUpload {
  readonly upsert: boolean
  readonly owner: string | undefined
}

export interface SignedUrls {
  signDownload(
    name: ObjectName,
    lifetimeS: number,
    transform?: { readonly transformations: string; readonly format: string | undefined },
  ): Promise<string>
  signUpload(name: ObjectName, upload: SignedUpload): Promise<string>
  /** @throws {HoldfastError} `InvalidJWT`, `InvalidSignature` */
  verifyDownload(token: string, name: ObjectName): Promise<SignedDownload>
  /** @throws {HoldfastError} `InvalidJWT`, `InvalidSignature` */
  verifyUpload(token: string, name: ObjectName): Promise<SignedUpload>
}

/**
 * Signs and verifies URLs that need no key. Uses a separate key derived from the project's secret: servers with the same secret accept each other's URLs, and
 * URL tokens and bearer tokens are not interchangeable.
 */
export function createSignedUrls(jwtSecret: string, clock: Clock): SignedUrls {
  const key = new Uint8Array(hkdfSync('sha256', jwtSecret, '', 'holdfast storage signed URLs', 32))

  async function sign(claims: JWTPayload, lifetimeS: number): Promise<string> {
    const now = Math.floor(clock.now() / 1_000)
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeS)
      .sign(key)
  }

  async function verify(token: string, { bucketId, key: path }: ObjectName, scope: SignedScope): Promise<JWTPayload> {
    const payload = await readToken(token)
    if (payload['scope'] !== scope) throw invalidSignature(`Token is not scoped for ${scope}`)
    if (payload['url'] !== `${bucketId}/${path}`) throw invalidSignature()
    return payload
  }

  async function readToken(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], currentDate: new Date(clock.now()) })
      return payload
    } catch (error) {
      throw invalidJwt(errorMessage(error), error)
    }
  }

  return {
    signDownload: ({ bucketId, key: path }, lifetimeS, transform) =>
      sign({ ...transform, url: `${bucketId}/${path}`, scope: 'download' }, lifetimeS),
    signUpload: ({ bucketId, key: path }, { upsert, owner }) =>
      sign(
        { ...(owner !== undefined && { owner }), upsert, url: `${bucketId}/${path}`, scope: 'upload' },
        SIGNED_UPLOAD_LIFETIME_S,
      ),
    async verifyDownload(token, name) {
      const { exp = 0, transformations, format } = await verify(token, name, 'download')
      return { expiresAtS: exp, transformations: textOf(transformations), format: textOf(format) }
    },
    async verifyUpload(token, name) {
      const { upsert, owner } = await verify(token, name, 'upload')
      return { upsert: upsert === true, owner: textOf(owner) }
    },
  }
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}
