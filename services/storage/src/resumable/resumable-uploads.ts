import { randomUUID } from 'node:crypto'
import { ERRORS, Server } from '@tus/server'
import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import { isVersion } from '../backend/backend.ts'
import type { StorageContext } from '../context.ts'
import { toStorageError } from '../database/postgres-error.ts'
import type { RequestDatabase } from '../database/request-database.ts'
import { findUploadServer, noteUpload } from '../database/resumable-uploads.ts'
import { invalidRequest, tooManyTransfers, uploadOnOtherServer } from '../errors.ts'
import { UPLOAD_LOCK_WAIT_MS } from '../limits.ts'
import { admitWrite, bytesMaxOf, requireFits } from '../objects/write-object.ts'
import type { Operation } from '../operations.ts'
import { openRequest, personOf } from '../request/open-request.ts'
import { finishUpload } from './finish-upload.ts'
import { createKeyLocker } from './key-locker.ts'
import { describeUpload, type DescribedUpload, type Writer } from './upload-intent.ts'
import type { UploadRecord, UploadStore } from './upload-store.ts'

const OPERATIONS = { POST: 'create', PATCH: 'part', HEAD: 'get', DELETE: 'delete' } as const

/** Where uploads in parts are mounted. */
interface Mount {
  /** Full address of the endpoint. */
  readonly path: string
  /** Whether a token of a signed upload takes the place of the caller's rights. */
  readonly isSigned: boolean
}

type Signed = { readonly upsert: boolean; readonly owner: string | undefined }

/**
 * Uploads in parts, as TUS 1.0.0 has them. The protocol is `@tus/server`'s; who may write what, the policies say: at each request that writes, as the caller of that
 * request, and once more when the object is made.
 */
export class ResumableUploads {
  readonly #context: StorageContext
  readonly #store: UploadStore
  readonly #mount: Mount
  readonly #server: Server
  readonly #requests = new WeakMap<Request, FastifyRequest>()
  /** The bytes that the bucket of an admitted request allows. */
  readonly #bytesMax = new WeakMap<FastifyRequest, number>()
  /** Uploads that are being made objects of. */
  readonly #finishing = new Map<string, Promise<void>>()

  constructor(context: StorageContext, store: UploadStore, mount: Mount) {
    this.#context = context
    this.#store = store
    this.#mount = mount
    this.#server = new Server({
      path: mount.path,
      datastore: store,
      locker: createKeyLocker(UPLOAD_LOCK_WAIT_MS),
      disableTerminationForFinishedUploads: true,
      // `OPTIONS` names no bucket.
      maxSize: (web) => this.#bytesMax.get(this.#requestOf(web)) ?? context.fileSizeLimit,
      namingFunction: async (web, metadata) => {
        if (!metadata) throw invalidRequest('Metadata header is required')
        const request = this.#requestOf(web)
        const id = randomUUID()
        await this.#admit(request, { id, size: saidLength(request), metadata })
        return id
      },
      generateUrl: (web, { id }) => urlOf(this.#requestOf(web), mount.path, id),
      getFileIdFromRequest: (_web, last) => last,
      onIncomingRequest: async (web, id) => {
        if (web.method !== 'POST') await this.#goOn(this.#requestOf(web), id)
      },
      onUploadFinish: async (web, { id }) => {
        await this.#finish(this.#requestOf(web), id)
        return { headers: { 'Tus-Complete': '1' } }
      },
      onResponseError: (_web, thrown) => {
        const error = toStorageError(thrown)
        return error instanceof HoldfastError ? { status_code: error.status, body: error.message } : undefined
      },
    })
  }

  /** @param request - the same, as Fastify has it */
  async handle(web: Request, request: FastifyRequest): Promise<Response> {
    this.#requests.set(web, request)
    return this.#server.handleWeb(web)
  }

  #requestOf(web: Request): FastifyRequest {
    const request = this.#requests.get(web)
    if (!request) throw new Error('a request of TUS came from elsewhere')
    return request
  }

  /** Whether this caller may make this upload. Nothing has been stored yet. */
  async #admit(request: FastifyRequest, upload: Pick<UploadRecord, 'id' | 'size' | 'metadata'>): Promise<void> {
    const signed = await this.#signedOf(request, upload.metadata)
    const upsert = signed ? signed.upsert : request.headers['x-upsert'] === 'true'
    const described = describeUpload({ ...upload, upsert }, writerOf(request, signed))
    await this.#judge(request, described, upload.size)
    const person = personOf(request)
    if (this.#store.isFull(person)) throw tooManyTransfers('uploads')
    await this.#databaseOf(request).transaction(({ asService }) =>
      asService((tx) => noteUpload(tx, upload.id, this.#store.serverId)),
    )
    this.#store.expect(upload.id, { upsert, person })
  }

  /** Checks that this caller may continue an upload, and finishes one whose bytes have all arrived. */
  async #goOn(request: FastifyRequest, id: string): Promise<void> {
    const record = await this.#store.find(id)
    if (!record) return this.#requireHere(request, id)
    if (record.isFinished) return
    const described = await this.#describe(request, record)
    if (request.method !== 'HEAD') return this.#judge(request, described, record.size ?? saidLength(request))
    // The program ended after the last byte: the client would take this answer for a success.
    if (record.size !== undefined && (await this.#store.offsetOf(record)) === record.size) {
      await this.#finish(request, id)
    }
  }

  /** A client that is told "not found" begins again, and would do so at each turn between two servers. */
  async #requireHere(request: FastifyRequest, id: string): Promise<void> {
    if (!isVersion(id)) return
    const server = await this.#databaseOf(request).transaction(({ asService }) =>
      asService((tx) => findUploadServer(tx, id)),
    )
    if (server !== undefined && server !== this.#store.serverId) throw uploadOnOtherServer()
  }

  async #judge(request: FastifyRequest, described: DescribedUpload, size = 0): Promise<void> {
    const { intent, mimeType } = described
    const rules = await admitWrite(this.#context, this.#databaseOf(request), intent, (found) => {
      // Supabase's order and words: size, rights, type.
      if (size > bytesMaxOf(intent.name, found)) throw ERRORS.ERR_MAX_SIZE_EXCEEDED
    })
    requireFits(intent.name, { mimeType, size }, rules)
    // The library takes 0 for no limit.
    this.#bytesMax.set(request, Math.max(1, bytesMaxOf(intent.name, rules)))
  }

  async #finish(request: FastifyRequest, id: string): Promise<void> {
    const underWay = this.#finishing.get(id)
    if (underWay) return underWay
    const mine = this.#finishOnce(request, id).finally(() => this.#finishing.delete(id))
    this.#finishing.set(id, mine)
    return mine
  }

  async #finishOnce(request: FastifyRequest, id: string): Promise<void> {
    const record = await this.#store.find(id)
    if (!record || record.isFinished) return
    const described = await this.#describe(request, record)
    await finishUpload(this.#context, this.#store, this.#databaseOf(request), { id, described })
  }

  async #describe(request: FastifyRequest, record: UploadRecord): Promise<DescribedUpload> {
    return describeUpload(record, writerOf(request, await this.#signedOf(request, record.metadata)))
  }

  async #signedOf(
    request: FastifyRequest,
    { bucketName, objectName }: UploadRecord['metadata'],
  ): Promise<Signed | undefined> {
    if (!this.#mount.isSigned) return undefined
    const token = request.headers['x-signature']
    if (typeof token !== 'string') throw invalidRequest('Missing x-signature header')
    return this.#context.urls.verifyUpload(token, { bucketId: bucketName ?? '', key: objectName ?? '' })
  }

  #databaseOf(request: FastifyRequest): RequestDatabase {
    return openRequest(this.#context, request, this.#operationOf(request))
  }

  #operationOf({ method }: FastifyRequest): Operation {
    const verb = OPERATIONS[method as keyof typeof OPERATIONS] ?? 'get'
    return `storage.tus.upload.${verb}${this.#mount.isSigned ? '_signed' : ''}`
  }
}

function writerOf(request: FastifyRequest, signed: Signed | undefined): Writer {
  return signed ? { owner: signed.owner, isJudged: false } : { owner: requireCaller(request).userId, isJudged: true }
}

/** What a client says of an upload whose length it did not know before. */
function saidLength({ headers }: FastifyRequest): number | undefined {
  const length = headers['upload-length']
  return length === undefined ? undefined : Number(length)
}

/** The public address of an upload, as proxies that are trusted tell it. */
function urlOf({ protocol, host }: FastifyRequest, path: string, id: string): string {
  return `${protocol}://${host}${path}/${id}`
}
