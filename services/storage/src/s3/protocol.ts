import { hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import type { RequestTarget } from './request-target.ts'
import type { SignedBody } from './signed-body.ts'

/** Key pair with which S3 clients act as `service_role`. */
export interface S3KeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3ProtocolOptions {
  readonly keyPair: S3KeyPair
  readonly region: string
  /** The project's public keys, with which clients holding a user's token sign. */
  readonly apiKeys: readonly string[]
  /** Verifies a user's token. @throws {HoldfastError} if it is invalid or its session has ended */
  readonly verifyCaller: (token: string) => Promise<Caller>
}

/** Derives the pair from the project's secret: servers with the same secret share it, and changing the secret changes the pair. */
export function deriveKeyPair(jwtSecret: string): S3KeyPair {
  const derive = (info: string, bytes: number): string =>
    Buffer.from(hkdfSync('sha256', jwtSecret, '', info, bytes)).toString('hex')
  return {
    accessKeyId: derive('holdfast s3 access key id', 16),
    secretAccessKey: derive('holdfast s3 secret access key', 32),
  }
}

/** A request with a verified signature. */
export interface S3Exchange {
  readonly context: StorageContext
  readonly protocol: S3ProtocolOptions
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly target: RequestTarget
  readonly bucket: string
  readonly key: string
  readonly database: RequestDatabase
  /** Subject of the token, if it is a user's. */
  readonly owner: string | undefined
  /** Fairness key for uploads and downloads. */
  readonly userKey: string | undefined
  readonly body: SignedBody
}

export type S3Handler = (exchange: S3Exchange) => Promise<FastifyReply>
