import { hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import type { RequestTarget } from './request-target.ts'
import type { SignedBody } from './signed-body.ts'

/** What S3 clients are given to act as `service_role`. */
export interface S3KeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** What the S3 endpoint is handed beside the rest of storage. */
export interface S3ProtocolOptions {
  readonly keyPair: S3KeyPair
  readonly region: string
  /** Public keys of the project. Whoever has the token of a person signs with one of them. */
  readonly apiKeys: readonly string[]
  /** Reads the token of a person. @throws {HoldfastError} when it is none, or its session has ended */
  readonly verifyCaller: (token: string) => Promise<Caller>
}

/** The pair follows from the secret of the project: servers with one secret take the same, and whoever changes it gets another. */
export function deriveKeyPair(jwtSecret: string): S3KeyPair {
  const derive = (info: string, bytes: number): string =>
    Buffer.from(hkdfSync('sha256', jwtSecret, '', info, bytes)).toString('hex')
  return {
    accessKeyId: derive('holdfast s3 access key id', 16),
    secretAccessKey: derive('holdfast s3 secret access key', 32),
  }
}

/** A request whose signature is good, on its way to the handler of its operation. */
export interface S3Exchange {
  readonly context: StorageContext
  readonly protocol: S3ProtocolOptions
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly target: RequestTarget
  readonly bucket: string
  readonly key: string
  readonly database: RequestDatabase
  /** The subject of the token, if it is one of a person. */
  readonly owner: string | undefined
  /** Whose share of uploads and downloads is used. */
  readonly person: string | undefined
  readonly body: SignedBody
}

export type S3Handler = (exchange: S3Exchange) => Promise<FastifyReply>
