import { randomUUID } from 'node:crypto'
import { Server } from '@tus/server'
import type { FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { requireCaller } from '@holdfast/http'
import type { StorageContext } from '../context.ts'
import { toStorageError } from '../database/postgres-error.ts'
import { entityTooLarge, invalidRequest, tooManyTransfers } from '../errors.ts'
import { UPLOAD_LOCK_WAIT_MS } from '../limits.ts'
import { judgeWrite, readBucketRules } from '../objects/write-object.ts'
import type { Operation } from '../operations.ts'
import { requireAllowedType } from '../request/mime-type.ts'
import { isEmptyFolder } from '../request/names.ts'
import { openRequest, personOf } from '../request/open-request.ts'
import { finishUpload } from './finish-upload.ts'
import { createKeyLocker } from './key-locker.ts'
import { describeUpload, type DescribedUpload, type Writer } from './upload-intent.ts'
import type { UploadRecord, UploadStore } from './upload-store.ts'

export interface ResumableUploads {
  /** @param request - the same, as Fastify has it */
  handle(web: Request, request: FastifyRequest): Promise<Response>
}

const OPERATIONS = { POST: 'create', PATCH: 'part', HEAD: 'get', DELETE: 'delete' } as const

/**
 * Uploads in parts, as TUS 1.0.0 has them. The protocol is `@tus/server`'s; who may write what, the policies say: at each request that writes, as the caller of that
 * request, and once more when the object is made.
 *
 * @param path - full address of the endpoint
 */
export function createResumableUploads(
  context: StorageContext,
  store: UploadStore,
  { path, isSigned }: { readonly path: string; readonly isSigned: boolean },
): ResumableUploads {
  const requests = new WeakMap<Request, FastifyRequest>()
  /** Uploads that are being made objects of. */
  const finishing = new Map<string, Promise<void>>()
  const server = new Server({
    path,
    datastore: store,
    locker: createKeyLocker(UPLOAD_LOCK_WAIT_MS),
    disableTerminationForFinishedUploads: true,
    maxSize: context.fileSizeLimit, // that of the bucket is looked at with its other rules
    namingFunction: () => randomUUID(),
    generateUrl: (web, { id }) => urlOf(requestOf(web), path, id),
    getFileIdFromRequest: (_web, last) => last,
    onUploadCreate: async (web, { id, size, metadata = {} }) => {
      await admit(requestOf(web), { id, size, metadata })
      return {}
    },
    onIncomingRequest: async (web, id) => {
      if (web.method !== 'POST') await goOn(requestOf(web), id)
    },
    onUploadFinish: async (web, { id }) => {
      await finish(requestOf(web), id)
      return { headers: { 'Tus-Complete': '1' } }
    },
    onResponseError: (_web, thrown) => {
      const error = toStorageError(thrown)
      return error instanceof HoldfastError ? { status_code: error.status, body: error.message } : undefined
    },
  })

  return {
    async handle(web, request) {
      requests.set(web, request)
      return server.handleWeb(web)
    },
  }

  function requestOf(web: Request): FastifyRequest {
    const request = requests.get(web)
    if (!request) throw new Error('a request of TUS came from elsewhere')
    return request
  }

  /** Whether this caller may make this upload. Nothing has been stored yet. */
  async function admit(request: FastifyRequest, upload: Pick<UploadRecord, 'id' | 'size' | 'metadata'>): Promise<void> {
    const signed = await signedOf(request, upload.metadata)
    const upsert = signed ? signed.upsert : request.headers['x-upsert'] === 'true'
    const described = describeUpload({ ...upload, upsert }, writerOf(request, signed))
    await judge(request, described, upload.size)
    const person = personOf(request)
    if (store.isFull(person)) throw tooManyTransfers('uploads')
    store.expect(upload.id, { upsert, person })
  }

  /** Whether this caller may go on with an upload, and what is left to do when all its bytes have come. */
  async function goOn(request: FastifyRequest, id: string): Promise<void> {
    const record = await store.find(id)
    if (!record || record.isFinished) return
    const described = await describe(request, record)
    if (request.method !== 'HEAD') return judge(request, described, record.size)
    // The program ended after the last byte: the client would take this answer for a success.
    if (record.size !== undefined && (await store.offsetOf(record)) === record.size) await finish(request, id)
  }

  async function judge(request: FastifyRequest, described: DescribedUpload, size = 0): Promise<void> {
    const { intent, mimeType } = described
    const database = openRequest(context, request, operationOf(request))
    const rules = await readBucketRules(context, database, intent.name.bucketId)
    const isPlaceholder = isEmptyFolder(intent.name.key)
    if (!isPlaceholder) requireAllowedType(mimeType, rules.allowedMimeTypes)
    if (size > (isPlaceholder ? 0 : rules.bytesMax)) throw entityTooLarge()
    await judgeWrite(database, intent)
  }

  async function finish(request: FastifyRequest, id: string): Promise<void> {
    const underWay = finishing.get(id)
    if (underWay) return underWay
    const mine = finishOnce(request, id).finally(() => finishing.delete(id))
    finishing.set(id, mine)
    return mine
  }

  async function finishOnce(request: FastifyRequest, id: string): Promise<void> {
    const record = await store.find(id)
    if (!record || record.isFinished) return
    const described = await describe(request, record)
    const database = openRequest(context, request, operationOf(request))
    await finishUpload(context, store, database, { id, described })
  }

  async function describe(request: FastifyRequest, record: UploadRecord): Promise<DescribedUpload> {
    return describeUpload(record, writerOf(request, await signedOf(request, record.metadata)))
  }

  async function signedOf(
    request: FastifyRequest,
    { bucketName, objectName }: UploadRecord['metadata'],
  ): Promise<{ readonly upsert: boolean; readonly owner: string | undefined } | undefined> {
    if (!isSigned) return undefined
    const token = request.headers['x-signature']
    if (typeof token !== 'string') throw invalidRequest('Missing x-signature header')
    return context.urls.verifyUpload(token, { bucketId: bucketName ?? '', key: objectName ?? '' })
  }

  function operationOf({ method }: FastifyRequest): Operation {
    const verb = OPERATIONS[method as keyof typeof OPERATIONS] ?? 'get'
    return `storage.tus.upload.${verb}${isSigned ? '_signed' : ''}`
  }
}

function writerOf(request: FastifyRequest, signed: { readonly owner: string | undefined } | undefined): Writer {
  return signed ? { owner: signed.owner, isJudged: false } : { owner: requireCaller(request).userId, isJudged: true }
}

/** The public address of an upload, as proxies that are trusted tell it. */
function urlOf({ protocol, host }: FastifyRequest, path: string, id: string): string {
  return `${protocol}://${host}${path}/${id}`
}
