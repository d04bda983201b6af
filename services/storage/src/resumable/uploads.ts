import type { Readable } from 'node:stream'
import type { DataStore } from '@tus/server'

/** Stored record of an upload, beside its bytes. */
export interface UploadRecord {
  /** Becomes the version once all bytes have arrived. */
  readonly id: string
  /** In bytes; `undefined` until the client declares it. */
  readonly size?: number | undefined
  /** As sent by the client. */
  readonly metadata: Readonly<Record<string, string | null>>
  readonly createdAt: number
  readonly upsert: boolean
  /** Creator, for the limit per user; `undefined` for a backend. */
  readonly person?: string | undefined
  /** The object exists and the bytes have moved. */
  readonly isFinished: boolean
}

/** Request properties outside the TUS protocol. */
export type UploadOrigin = Pick<UploadRecord, 'upsert' | 'person'>

/** TUS extensions of every store. */
export const UPLOAD_EXTENSIONS = [
  'creation',
  'creation-with-upload',
  'creation-defer-length',
  'termination',
  'expiration',
]

/** Uploads in progress. */
export interface Uploads extends DataStore {
  /** The server that holds the parts. */
  readonly serverId: string
  /** Call before creating the upload with this id. */
  expect(id: string, origin: UploadOrigin): void
  find(id: string): Promise<UploadRecord | undefined>
  /** Number of received bytes. */
  offsetOf(record: UploadRecord): Promise<number>
  readBytes(id: string): Readable
  /** Keeps the record of a finished upload, so that a client whose response was lost learns of the success. */
  markFinished(id: string): Promise<void>
  /** Whether a user has reached the limit of unfinished uploads. */
  isFull(person: string | undefined): Promise<boolean>
}
