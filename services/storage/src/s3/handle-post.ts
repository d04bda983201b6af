import { Readable, Transform, pipeline, type TransformCallback } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StorageContext } from '../context.ts'
import { entityTooLarge, invalidRequest } from '../errors.ts'
import { S3_FORM_FIELDS_BYTES_MAX, S3_FORM_FIELDS_MAX } from '../limits.ts'
import { uploadObject } from '../objects/upload-object.ts'
import { parseObjectName } from '../request/names.ts'
import { openRequest, userKeyOf } from '../request/open-request.ts'
import { readForm, type FormLimits } from '../request/upload-form.ts'
import { callerOf, secretsOf } from './authenticate-s3.ts'
import { readUserMetadata } from './object-metadata.ts'
import { POLICY_NAMES } from './operation.ts'
import { parsePolicy, requireConditionsMet } from './post-policy.ts'
import type { S3ProtocolOptions } from './protocol.ts'
import { invalidArgument, signatureMismatch, signatureMissing } from './s3-errors.ts'
import { isSame, readCredential, requireFresh, sign, signingKey } from './signature.ts'
import { renderXml } from './render-xml.ts'

/** Limits before the form fields have identified the sender. */
const FORM_LIMITS: FormLimits = { fieldsMax: S3_FORM_FIELDS_MAX, bytesMax: S3_FORM_FIELDS_BYTES_MAX }

/** Creates an object from a browser form whose signed policy restricts it. Fields precede the file. */
export async function postObject(
  context: StorageContext,
  protocol: S3ProtocolOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  bucket: string,
): Promise<FastifyReply> {
  const type = request.headers['content-type'] ?? ''
  if (!type.toLowerCase().startsWith('multipart/form-data') || !(request.body instanceof Readable))
    throw invalidRequest('The form must be of type multipart/form-data')
  const form = await readForm(request.headers, request.body, FORM_LIMITS)
  try {
    const fields = lowerCased(form.fields, bucket)
    const sessionToken = verifyForm(protocol, fields, context.clock.now())
    request.caller = await callerOf(protocol, sessionToken)
    const policy = parsePolicy(fields.get('policy') ?? '')
    requireConditionsMet(policy, fields, context.clock.now())
    const key = (fields.get('key') ?? '').replaceAll('${filename}', form.fileName ?? '')
    const name = parseObjectName(bucket, key)
    const leave = context.uploads.acquireNow({ key: userKeyOf(request) })
    try {
      const row = await uploadObject(context, openRequest(context, request, `storage.s3.${POLICY_NAMES.PostObject}`), {
        name,
        owner: request.caller.userId,
        upsert: true,
        isJudged: true,
        readFile: async () => ({
          ...form,
          bytes: pipeline(form.bytes, new SizeRange(policy.sizes), () => undefined),
          mimeType: fields.get('content-type') || form.mimeType,
          cacheControl: fields.get('cache-control') ?? 'no-cache',
          userMetadata: readUserMetadata(Object.fromEntries(fields), { rawPath: '', query: [] }),
          robotsTag: undefined,
          declaredLength: undefined,
          isLengthExact: false,
        }),
      })
      return answer(reply, fields, { bucket, key, eTag: row.metadata?.eTag ?? '' })
    } finally {
      leave()
    }
  } finally {
    form.bytes.destroy()
  }
}

/** @returns the user's token, if one signed @throws {HoldfastError} `AccessDenied`, `SignatureDoesNotMatch` and others */
function verifyForm(protocol: S3ProtocolOptions, fields: ReadonlyMap<string, string>, now: number): string | undefined {
  const [policy, signature] = [fields.get('policy'), fields.get('x-amz-signature')]
  if (policy === undefined || signature === undefined) throw signatureMissing()
  const claimed = {
    ...readCredential(fields.get('x-amz-credential'), fields.get('x-amz-date')),
    sessionToken: fields.get('x-amz-security-token'),
  }
  // The policy states its own lifetime.
  requireFresh({ ...claimed, lifetimeS: Number.POSITIVE_INFINITY }, now)
  const isGood = secretsOf(protocol, claimed).some((secret) =>
    isSame(sign(signingKey(secret, claimed.scope), policy), signature),
  )
  if (!isGood) throw signatureMismatch()
  return claimed.sessionToken
}

/** @throws {HoldfastError} `InvalidArgument` if a field occurs twice in different case */
function lowerCased(fields: ReadonlyMap<string, string>, bucket: string): ReadonlyMap<string, string> {
  const lower = new Map([...fields].map(([name, value]) => [name.toLowerCase(), value]))
  if (lower.size !== fields.size) throw invalidArgument('A form field occurs twice')
  return lower.set('bucket', bucket)
}

function answer(
  reply: FastifyReply,
  fields: ReadonlyMap<string, string>,
  { bucket, key, eTag }: { readonly bucket: string; readonly key: string; readonly eTag: string },
): FastifyReply {
  const redirect = URL.parse(fields.get('success_action_redirect') ?? '')
  reply.header('etag', eTag)
  if (redirect && /^https?:$/.test(redirect.protocol)) {
    for (const [name, value] of Object.entries({ bucket, key, etag: eTag })) redirect.searchParams.set(name, value)
    return reply.code(303).header('location', redirect.href).send()
  }
  const status = fields.get('success_action_status')
  if (status !== '201') return reply.code(status === '200' ? 200 : 204).send()
  return reply
    .code(201)
    .type('application/xml; charset=utf-8')
    .send(renderXml('PostResponse', { Bucket: bucket, Key: key, ETag: eTag }, false))
}

/** Passes a file through; fails if its size violates the policy. */
class SizeRange extends Transform {
  readonly #sizes: { readonly min: number; readonly max: number }
  #bytes = 0

  constructor(sizes: { readonly min: number; readonly max: number }) {
    super()
    this.#sizes = sizes
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#sizes.max) done(entityTooLarge())
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    done(this.#bytes < this.#sizes.min ? invalidRequest('The file is smaller than the policy allows') : null)
  }
}
