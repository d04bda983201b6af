import type { FastifyRequest } from 'fastify'
import type { Caller } from '@holdfast/http'
import type { S3ProtocolOptions } from './protocol.ts'
import type { RequestTarget } from './request-target.ts'
import { unknownAccessKey } from './s3-errors.ts'
import { readSignature, requireFresh, verifySignature, type ClaimedSignature } from './signature.ts'

const SERVICE: Caller = {
  role: 'service_role',
  claims: { role: 'service_role' },
  userId: undefined,
  expiresAtS: undefined,
}

/**
 * Identifies the signer of a request: a holder of the instance's key pair, or a user with a session token. The token identifies the user; the public key that
 * signs beside it does not.
 *
 * @throws {HoldfastError} `AccessDenied`, `SignatureDoesNotMatch`, `RequestTimeTooSkewed` and other signature and token errors
 */
export async function authenticateS3(
  protocol: S3ProtocolOptions,
  request: FastifyRequest,
  target: RequestTarget,
  now: number,
): Promise<{ readonly caller: Caller; readonly key: Buffer; readonly claimed: ClaimedSignature }> {
  const { method, headers } = request
  const hosts = [...new Set([headers.host ?? '', request.host])]
  const claimed = readSignature({ target, headers })
  requireFresh(claimed, now)
  const key = verifySignature(claimed, secretsOf(protocol, claimed), { method, target, headers, hosts })
  return { caller: await callerOf(protocol, claimed.sessionToken), key, claimed }
}

/**
 * Returns the possible signing secrets. With a user's token, any access key id is accepted, because there is one project. @throws {HoldfastError}
 * `InvalidAccessKeyId`
 */
export function secretsOf(
  { keyPair, apiKeys }: S3ProtocolOptions,
  { accessKeyId, sessionToken }: Pick<ClaimedSignature, 'accessKeyId' | 'sessionToken'>,
): readonly string[] {
  if (sessionToken !== undefined) return apiKeys
  if (accessKeyId !== keyPair.accessKeyId) throw unknownAccessKey()
  return [keyPair.secretAccessKey]
}

export async function callerOf(protocol: S3ProtocolOptions, sessionToken: string | undefined): Promise<Caller> {
  return sessionToken === undefined ? SERVICE : protocol.verifyCaller(sessionToken)
}
